// What stands beside every headline (specification 16), the comparison of locks, and the commitment of specification 19.
#include <algorithm>

#include "canonical_json.h"
#include "folder_state.h"
#include "refuse.h"
#include "scvet/base/digest.h"

namespace scvet::trial {
namespace {

// The better of two statuses.
std::string better(const std::string& a, const std::string& b) {
  const auto rank = [](const std::string& status) {
    return status == "receipt checked" ? 2 : status == "self-reported" ? 1 : 0;
  };
  return rank(b) > rank(a) ? b : a;
}

std::int64_t done_seq(const Ledger& ledger, const std::string& arm) {
  for (const LedgerEvent& event : ledger.events)
    if (event.arm == arm && (event.event == "TEST_DONE" || event.event == "TEST_ABORTED")) return event.seq;
  return 0;
}

void add_deposits(Disclosures& out, const TrialFolder& trial, const std::string& arm) {
  const std::int64_t opened = trial.history(arm).opened_seq, done = done_seq(trial.ledger(), arm);
  for (const Deposit& deposit : trial.deposits()) {
    if (opened == 0 || deposit.seq < opened) out.deposit = better(out.deposit, deposit.status);
    if (done > 0 && deposit.seq > done) out.deposit_after = better(out.deposit_after, deposit.status);
  }
}

void add_overrides(Disclosures& out, const Ledger& ledger) {
  for (const LedgerEvent& event : ledger.events) {
    const std::string at = "ledger line " + std::to_string(event.seq) + " (" + event.time + "): ";
    const std::string what = data_text(event.data, "what");
    if (what == "run_all_stages") out.pre_registered = false;
    if (what == "writer_lock_broken")
      out.notes.push_back(at + "a writer that had died was pushed aside with --break-lock");
    if (what == "head_repaired") out.notes.push_back(at + "ledger.head was one line behind and was repaired");
    if (what == "mirror_repaired") out.notes.push_back(at + "the mirror was one line behind and was repaired");
    if (event.event == "TORN_LINE") out.notes.push_back(at + "the line before it was cut short by a crash");
    if (data_text(event.data, "mirror") == "none") out.state_folder = false;
  }
}

}  // namespace

std::vector<Deposit> TrialFolder::deposits() const {
  std::vector<Deposit> deposits;
  for (const LedgerEvent& event : ledger().events)
    if (event.event == "DEPOSITED")
      deposits.push_back({event.seq, event.time, data_text(event.data, "status"), data_text(event.data, "text"),
                          event.lock, data_text(event.data, "head")});
  return deposits;
}

Disclosures TrialFolder::disclosures(const std::string& arm) const {
  Disclosures out;
  const ArmHistory& own = history(arm);
  const auto& order = ledger().arm_order;
  out.n_arms = static_cast<std::int64_t>(order.size());
  out.arm_index = std::find(order.begin(), order.end(), arm) - order.begin() + 1;
  for (const auto& [name, other] : ledger().arms)
    if (name != arm && is_opened(state(name)) && (own.opened_seq == 0 || other.opened_seq < own.opened_seq))
      ++out.prior_openings;
  KnownLock mine;
  mine.counts_digest = data().counts_digest;
  mine.cell_sketch = state_->cell_sketch;
  mine.test_target_genes = state_->test_target_genes;
  for (const KnownLock& other : others()) {
    if (other.lock == lock_id() || !same_data(mine, other)) continue;
    ++out.locks_on_this_data;
    for (const auto& [name, arm_state] : other.arms) out.prior_openings += is_opened(arm_state);
  }
  out.state_folder = state_->state_writable && !state_->state_dir.empty();
  out.clock_set_back = ledger().clock_set_back;
  if (manifest().supersedes) out.superseded_locks.push_back(manifest().supersedes->lock);
  add_deposits(out, *this, arm);
  add_overrides(out, ledger());
  out.notes.insert(out.notes.end(), state_->notes.begin(), state_->notes.end());
  return out;
}

void require_same_protocol(const TrialFolder& a, const TrialFolder& b) {
  if (a.manifest().protocol_sha256 != b.manifest().protocol_sha256)
    refuse("protocol_differs",
           "phases are compared under one protocol: expected " + a.manifest().protocol_sha256 + " (" + a.folder() +
               "), found " + b.manifest().protocol_sha256 + " (" + b.folder() + ")",
           b.folder());
}

std::string label_commitment(const std::string& salt_hex, std::string_view label_bytes) {
  if (!is_sha256(salt_hex)) throw UsageError("a salt is 32 bytes, 64 lower-case hexadecimal digits", {.field = "salt"});
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string salt;
  for (std::size_t at = 0; at < salt_hex.size(); at += 2)
    salt += static_cast<char>(digit(salt_hex[at]) * 16 + digit(salt_hex[at + 1]));
  Sha256 hash;
  hash.update(salt);
  hash.update(label_bytes);
  return hash.finish();
}

void require_commitment(const std::string& commitment, const std::string& salt_hex, std::string_view label_bytes,
                        const std::string& file) {
  const std::string found = label_commitment(salt_hex, label_bytes);
  if (found != commitment)
    refuse("commitment_mismatch",
           file + ": expected the commitment " + commitment + " that was published, found " + found, file);
}

}  // namespace scvet::trial
