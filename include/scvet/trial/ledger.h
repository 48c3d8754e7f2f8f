// ledger.jsonl: the append-only chain of what happened to a lock, and what it says about each arm. Specification 15.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace scvet::trial {

// In order of advance; the most advanced of two records is the one that counts.
enum class ArmState {
  kUnknown,
  kRegistered,
  kSanityFailed,
  kSanityPassed,
  kParityFailed,
  kPredicted,
  kTestOpened,
  kTestAborted,
  kTestDone
};
const char* state_name(ArmState state);       // ARM_REGISTERED, ...; UNKNOWN
ArmState parse_state(std::string_view name);  // kUnknown for any other word
bool is_opened(ArmState state);               // TEST_OPENED or later

using LedgerValue = std::variant<std::int64_t, bool, std::string>;
using LedgerData = std::map<std::string, LedgerValue>;
std::string data_text(const LedgerData& data, const std::string& key);  // "" where absent

struct LedgerEvent {
  std::int64_t seq = 0;
  std::string time, event, arm, lock, prev;
  LedgerData data;
  std::string hash;  // SHA-256 of the line with its newline; not written
};
std::string ledger_line(const LedgerEvent& event);  // with the newline

// What a refusal is about: a stable word of specification 17, and a sentence with what was expected and found.
struct Problem {
  std::string reason, message, file;
};

// What the ledger says of one arm.
struct ArmHistory {
  ArmState state = ArmState::kUnknown;
  bool torn = false;  // this state is only what a torn line began; the event itself is not recorded
  int sanity_attempts = 0, prediction_attempts = 0;
  std::string role, arm_sha256, sanity_sha256, predictions_sha256, metrics_sha256, outcome_sha256, category;
  std::int64_t opened_seq = 0;  // of its TEST_OPENED line
};

struct Ledger {
  std::vector<LedgerEvent> events;
  std::map<std::string, ArmHistory> arms;
  std::vector<std::string> arm_order;  // as registered
  std::string fixed_sha256;            // of the first SANITY_PASSED
  std::string lock;                    // from its first line; the argument of read_ledger where there is none
  std::string torn;                    // the bytes behind the last whole line that no TORN_LINE covers yet
  bool lock_torn = false;              // the torn bytes began the LOCKED line
  bool clock_set_back = false;         // a line is older than the one before it
  std::vector<Problem> problems;       // ledger_chain; events stop before the first bad line
  std::int64_t count() const { return static_cast<std::int64_t>(events.size()); }
  std::string head() const;  // hash of the last line; the lock id where there is none
};

// Never throws for what the bytes say: see problems.
Ledger read_ledger(std::string_view bytes, const std::string& lock_id, const std::string& file);
// Applies one event to what is known of the arms.
void apply_event(Ledger& ledger, const LedgerEvent& event);

}  // namespace scvet::trial
