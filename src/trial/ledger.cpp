#include "scvet/trial/ledger.h"

#include <algorithm>
#include <array>
#include <optional>

#include "canonical_json.h"
#include "scvet/base/digest.h"

namespace scvet::trial {
namespace {

constexpr std::array<const char*, 9> kStates = {"UNKNOWN",       "ARM_REGISTERED", "SANITY_FAILED",
                                                "SANITY_PASSED", "PARITY_FAILED",  "PREDICTED",
                                                "TEST_OPENED",   "TEST_ABORTED",   "TEST_DONE"};
constexpr std::array<const char*, 4> kStateless = {"LOCKED", "DEPOSITED", "OVERRIDE", "TORN_LINE"};

Json data_value(const LedgerData& data) {
  Json value = Json::object();
  for (const auto& entry : data) std::visit([&](const auto& held) { value[entry.first] = held; }, entry.second);
  return value;
}

LedgerData read_data(const Json& object, Fields& fields) {
  LedgerData data;
  for (const auto& item : object.items()) {
    fields.get(item.key().c_str());
    if (item.value().is_string())
      data[item.key()] = item.value().get<std::string>();
    else if (item.value().is_boolean())
      data[item.key()] = item.value().get<bool>();
    else
      data[item.key()] = fields.integer(item.key().c_str());
  }
  return data;
}

LedgerEvent parse_line(std::string_view line, const std::string& file) {
  const Json value = read_canonical(line, file);
  Fields fields(value, file);
  LedgerEvent event;
  event.arm = fields.text("arm");
  Fields data = fields.object("data");
  event.data = read_data(value["data"], data);
  event.event = fields.text("event");
  const bool stateless = std::find(kStateless.begin(), kStateless.end(), event.event) != kStateless.end();
  if (!stateless && parse_state(event.event) == ArmState::kUnknown)
    fields.refuse("event", "an event of the specification");
  if (stateless != event.arm.empty()) fields.refuse("arm", "empty for an event of the lock, and only then");
  event.lock = fields.hash("lock");
  event.prev = fields.hash("prev");
  event.seq = fields.integer("seq", 1);
  event.time = fields.text("time");
  fields.finish();
  event.hash = sha256(line);
  return event;
}

// The state that a torn line counts as: the next one on the good path.
ArmState next_state(ArmState state) {
  switch (state) {
    case ArmState::kUnknown:
      return ArmState::kRegistered;
    case ArmState::kRegistered:
    case ArmState::kSanityFailed:
      return ArmState::kSanityPassed;
    case ArmState::kSanityPassed:
    case ArmState::kParityFailed:
      return ArmState::kPredicted;
    case ArmState::kPredicted:
      return ArmState::kTestOpened;
    case ArmState::kTestOpened:
      return ArmState::kTestDone;
    case ArmState::kTestAborted:
    case ArmState::kTestDone:
      return state;
  }
  return state;
}

// The arm that a torn line names, its first key; nothing where that is not readable.
std::optional<std::string> torn_arm(std::string_view torn) {
  constexpr std::string_view kStart = "{\"arm\":\"";
  if (!torn.starts_with(kStart)) return std::nullopt;
  const std::size_t end = torn.find('"', kStart.size());
  if (end == std::string_view::npos) return std::nullopt;
  return std::string(torn.substr(kStart.size(), end - kStart.size()));
}

void advance(Ledger& ledger, const std::string& arm) {
  if (!ledger.arms.contains(arm)) ledger.arm_order.push_back(arm);
  ArmHistory& history = ledger.arms[arm];
  const ArmState next = next_state(history.state);
  if (next == history.state) return;
  history.state = next;
  history.torn = true;
}

void apply_torn(Ledger& ledger, std::string_view torn) {
  if (ledger.events.empty()) {
    ledger.lock_torn = true;
    return;
  }
  const auto arm = torn_arm(torn);
  // A line of the lock changes no state. A second tear, of the TORN_LINE event, adds nothing to the first.
  if (arm && arm->empty()) return;
  if (arm) return advance(ledger, *arm);
  for (const std::string& known : std::vector<std::string>(ledger.arm_order)) advance(ledger, known);
}

void record(Ledger& ledger, const LedgerEvent& event, ArmHistory& history) {
  if (event.event == "ARM_REGISTERED") {
    history.role = data_text(event.data, "role");
    history.arm_sha256 = data_text(event.data, "arm_sha256");
  } else if (event.event == "SANITY_PASSED") {
    ++history.sanity_attempts;
    history.sanity_sha256 = data_text(event.data, "sanity_sha256");
    if (ledger.fixed_sha256.empty()) ledger.fixed_sha256 = data_text(event.data, "fixed_sha256");
  } else if (event.event == "SANITY_FAILED") {
    ++history.sanity_attempts;
  } else if (event.event == "PREDICTED") {
    ++history.prediction_attempts;
    if (history.predictions_sha256.empty()) history.predictions_sha256 = data_text(event.data, "predictions_sha256");
  } else if (event.event == "PARITY_FAILED") {
    ++history.prediction_attempts;
  } else if (event.event == "TEST_OPENED") {
    history.opened_seq = event.seq;
  } else if (event.event == "TEST_DONE") {
    history.metrics_sha256 = data_text(event.data, "metrics_sha256");
    history.outcome_sha256 = data_text(event.data, "outcome_sha256");
    history.category = data_text(event.data, "category");
  }
}

// What lies before a line: bytes that are no line of the ledger, and the last line that is one.
struct Before {
  std::string_view torn, last_line;  // both without their line end
};

// Whether `event` may stand at this place, "" or what is wrong.
std::string misfit(const Ledger& ledger, const LedgerEvent& event, const Before& before) {
  const std::string at = "line " + std::to_string(ledger.count() + 1);
  if (event.seq != ledger.count() + 1)
    return at + ": expected seq " + std::to_string(ledger.count() + 1) + ", found " + std::to_string(event.seq);
  if (event.prev != ledger.head()) return at + ": expected prev " + ledger.head() + ", found " + event.prev;
  if (event.lock != ledger.lock) return at + ": expected lock " + ledger.lock + ", found " + event.lock;
  // A line that lacked nothing but its end is a line of the ledger, and the torn one at the same time.
  const bool is_torn_line = event.event == "TORN_LINE";
  const std::string_view covered = before.torn.empty() ? before.last_line : before.torn;
  if (is_torn_line && data_text(event.data, "torn_sha256") != sha256(covered))
    return at + ": the TORN_LINE event holds another hash than that of the bytes before it";
  if (!is_torn_line && !before.torn.empty()) return at + " follows bytes that are no line, and is no TORN_LINE event";
  return "";
}

std::optional<LedgerEvent> try_line(std::string_view line, const std::string& file) {
  try {
    return parse_line(line, file);
  } catch (const Error&) {
    return std::nullopt;
  }
}

// A lone first line that names another lock than the manifest is judged by its own name: the manifest was changed.
void take_lock(Ledger& ledger, const LedgerEvent& event) {
  if (ledger.events.empty() && event.event == "LOCKED" && event.prev == event.lock) ledger.lock = event.lock;
}

}  // namespace

const char* state_name(ArmState state) { return kStates[static_cast<std::size_t>(state)]; }

ArmState parse_state(std::string_view name) {
  for (std::size_t state = 1; state < kStates.size(); ++state)
    if (name == kStates[state]) return static_cast<ArmState>(state);
  return ArmState::kUnknown;
}

bool is_opened(ArmState state) { return state >= ArmState::kTestOpened; }

std::string data_text(const LedgerData& data, const std::string& key) {
  const auto found = data.find(key);
  if (found == data.end() || !std::holds_alternative<std::string>(found->second)) return "";
  return std::get<std::string>(found->second);
}

std::string ledger_line(const LedgerEvent& event) {
  return canonical({{"arm", event.arm},
                    {"data", data_value(event.data)},
                    {"event", event.event},
                    {"lock", event.lock},
                    {"prev", event.prev},
                    {"seq", event.seq},
                    {"time", event.time}});
}

std::string Ledger::head() const { return events.empty() ? lock : events.back().hash; }

void apply_event(Ledger& ledger, const LedgerEvent& event) {
  if (!ledger.events.empty() && event.time < ledger.events.back().time) ledger.clock_set_back = true;
  ledger.events.push_back(event);
  const ArmState state = parse_state(event.event);
  if (event.event == "LOCKED") ledger.lock_torn = false;
  if (event.event == "TORN_LINE") ledger.torn.clear();
  if (state == ArmState::kUnknown) return;
  if (!ledger.arms.contains(event.arm)) ledger.arm_order.push_back(event.arm);
  ArmHistory& history = ledger.arms[event.arm];
  record(ledger, event, history);
  history.state = state;
  history.torn = false;
}

namespace {

// Bytes behind the last line. They may be what a crash left, but not a whole line that does not fit.
void read_tail(Ledger& ledger, std::string_view tail, const std::string& file) {
  const std::size_t end = tail.find('\n');
  if (end != std::string_view::npos && end > 0 && tail[end - 1] == '}') {
    ledger.problems.push_back(
        {"ledger_chain", file + ", line " + std::to_string(ledger.count() + 1) + " is not a line of the ledger", file});
    return;
  }
  ledger.torn = std::string(tail);
  if (end == std::string_view::npos) {
    const std::string line = ledger.torn + "\n";
    const auto event = try_line(line, file);
    if (event && (take_lock(ledger, *event), misfit(ledger, *event, {}).empty()) && event->event != "TORN_LINE")
      return apply_event(ledger, *event);
  }
  apply_torn(ledger, tail);
}

}  // namespace

Ledger read_ledger(std::string_view bytes, const std::string& lock_id, const std::string& file) {
  Ledger ledger;
  ledger.lock = lock_id;
  std::size_t at = 0, torn_from = 0;
  Before before;
  while (at < bytes.size()) {
    const std::size_t end = bytes.find('\n', at);
    if (end == std::string_view::npos) break;
    const auto event = try_line(bytes.substr(at, end + 1 - at), file);
    if (event) {
      // The torn bytes end before the line end that the TORN_LINE event put in front of itself.
      before.torn = at > torn_from ? bytes.substr(torn_from, at - 1 - torn_from) : std::string_view{};
      take_lock(ledger, *event);
      const std::string wrong = misfit(ledger, *event, before);
      if (!wrong.empty()) {
        ledger.problems.push_back({"ledger_chain", file + ", " + wrong, file});
        return ledger;
      }
      if (!before.torn.empty()) apply_torn(ledger, before.torn);
      apply_event(ledger, *event);
      before.last_line = bytes.substr(at, end - at);
      torn_from = end + 1;
    }
    at = end + 1;
  }
  if (torn_from < bytes.size()) read_tail(ledger, bytes.substr(torn_from), file);
  return ledger;
}

}  // namespace scvet::trial
