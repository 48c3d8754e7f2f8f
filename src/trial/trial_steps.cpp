// Which step an arm may take next, and the writes of each. Specification 13, 15, 17.
#include <cmath>
#include <filesystem>

#include "canonical_json.h"
#include "folder_state.h"
#include "refuse.h"
#include "scvet/base/digest.h"
#include "scvet/base/files.h"

namespace scvet::trial {
namespace {

[[noreturn]] void refuse_order(const TrialFolder& trial, const std::string& arm, const char* reason,
                               const std::string& what) {
  refuse(reason, "arm '" + arm + "' is " + state_name(trial.state(arm)) + ": " + what, trial.folder(), arm);
}

void require_not_superseded(const FolderState& state) {
  for (const KnownLock& other : state.others)
    if (other.supersedes == state.lock_id)
      refuse("superseded",
             "lock " + state.lock_id + " was replaced by lock " + other.lock +
                 (other.folder.empty() ? "" : " in " + other.folder) + "; go on there",
             state.folder);
}

// The same arm under another lock of the same data and protocol, or in a copy of this folder.
void require_unopened_elsewhere(const FolderState& state, const std::string& arm, const std::string& embedding) {
  const auto refuse_opened = [&](const std::string& where) {
    refuse("test_already_opened",
           "the test of this representation was opened already, " + where + "; it is opened once", state.folder, arm);
  };
  for (const auto& [name, history] : state.ledger.arms) {
    if (name == arm || !is_opened(history.state) || history.arm_sha256.empty()) continue;
    const std::string file = state.arm_path(name, "arm.json");
    if (parse_arm(read_file(file), file).embedding_digest == embedding)
      refuse_opened("as arm '" + name + "' of this lock");
  }
  for (const KnownLock& other : state.others) {
    const std::string place = " of lock " + other.lock + (other.folder.empty() ? "" : " in " + other.folder);
    const bool same_lock = other.lock == state.lock_id;
    const bool same_trial = other.protocol_sha256 == state.manifest.protocol_sha256 &&
                            other.counts_digest == state.data.counts_digest &&
                            other.design_digest == state.data.design_digest;
    for (const auto& [name, arm_state] : other.arms) {
      if (!is_opened(arm_state)) continue;
      const auto digest = other.embedding_digests.find(name);
      const bool same_embedding = digest != other.embedding_digests.end() && digest->second == embedding;
      if ((same_lock && name == arm) || ((same_lock || same_trial) && same_embedding))
        refuse_opened("as arm '" + name + "'" + place);
    }
  }
}

void require_final_test(const TrialFolder& trial, const std::string& arm) {
  switch (trial.state(arm)) {
    case ArmState::kUnknown:
    case ArmState::kRegistered:
      refuse_order(trial, arm, "sanity_missing", "run 'scvet trial sanity' first");
    case ArmState::kSanityFailed:
      refuse_order(trial, arm, "sanity_failed", "two trainings differed; run 'scvet trial sanity' again");
    case ArmState::kTestOpened:
      refuse_order(trial, arm, "resume_needed", "only 'scvet trial final-test --resume' may go on");
    case ArmState::kTestDone:
      refuse_order(trial, arm, "test_already_opened", "one test per arm");
    case ArmState::kTestAborted:
      refuse_order(trial, arm, "aborted_is_final", "its test was opened and gave no category");
    case ArmState::kSanityPassed:
    case ArmState::kParityFailed:
    case ArmState::kPredicted:
      break;
  }
  // A torn line counts as the state it began, but its hash is not recorded.
  if (trial.history(arm).sanity_sha256.empty())
    refuse_order(trial, arm, "sanity_missing", "the ledger's line of it was cut short; run 'scvet trial sanity' again");
}

void require_resume(const TrialFolder& trial, const std::string& arm) {
  const ArmState state = trial.state(arm);
  if (state == ArmState::kTestOpened || (state == ArmState::kTestDone && trial.history(arm).torn)) {
    if (trial.history(arm).predictions_sha256.empty())
      refuse_order(trial, arm, "resume_not_allowed", "no stored predictions are recorded");
    return;
  }
  if (state == ArmState::kTestDone) refuse_order(trial, arm, "test_already_opened", "the test is done");
  if (state == ArmState::kTestAborted)
    refuse_order(trial, arm, "aborted_is_final", "its test was opened and gave no category");
  refuse_order(trial, arm, "resume_not_allowed",
               "the test was not opened; run 'scvet trial final-test' without --resume");
}

void require_sanity(const TrialFolder& trial, const std::string& arm) {
  const ArmState state = trial.state(arm);
  if (state == ArmState::kTestOpened)
    refuse_order(trial, arm, "resume_needed", "the test is open; sanity comes before it");
  if (state == ArmState::kTestDone) refuse_order(trial, arm, "test_already_opened", "sanity comes before the test");
  if (state == ArmState::kTestAborted)
    refuse_order(trial, arm, "aborted_is_final", "its test was opened and gave no category");
}

}  // namespace

void TrialFolder::require_state(const std::string& arm, Step step) const {
  history(arm);  // arm_unknown
  if (step != Step::kResume && step != Step::kAfterDone) require_not_superseded(*state_);
  const ArmState now_state = state(arm);
  if (step == Step::kSanity) require_sanity(*this, arm);
  if (step == Step::kResume) require_resume(*this, arm);
  if (step == Step::kOpenTest && now_state == ArmState::kParityFailed)
    refuse_order(*this, arm, "parity_failed",
                 "the retraining differed from sanity; the test stays closed, run final-test again");
  if (step == Step::kFinalTest || step == Step::kOpenTest) {
    require_final_test(*this, arm);
    require_unopened_elsewhere(*state_, arm, this->arm(arm).embedding_digest);
  }
  if (step == Step::kOpenTest && (now_state != ArmState::kPredicted || history(arm).predictions_sha256.empty()))
    refuse_order(*this, arm, "parity_failed", "its predictions are not recorded; run final-test again");
  if (step == Step::kAfterDone && now_state == ArmState::kTestAborted)
    refuse_order(*this, arm, "aborted_is_final", "there is no outcome to go on with");
  if (step == Step::kAfterDone && now_state != ArmState::kTestDone)
    refuse_order(*this, arm, "before_test_done", "this is shown after TEST_DONE only");
}

namespace {

void require_equal(const FolderState& state, const char* reason, const std::string& what, const std::string& expected,
                   const std::string& found) {
  if (expected != found)
    refuse(reason, state.folder + ": " + what + ": expected " + expected + " (locked), found " + found, state.folder);
}

}  // namespace

void TrialFolder::require_counts(const std::string& digest) const {
  require_equal(*state_, "counts_changed", "digest of the counts", data().counts_digest, digest);
}
void TrialFolder::require_counts_file(const std::string& sha) const {
  require_equal(*state_, "counts_changed", "SHA-256 of the counts file", data().counts_file_sha256, sha);
}
void TrialFolder::require_design(const std::string& digest) const {
  require_equal(*state_, "design_changed", "digest of rows, targets and batches", data().design_digest, digest);
}
void TrialFolder::require_embedding(const std::string& name, const std::string& digest) const {
  require_equal(*state_, "embedding_changed", "digest of the representation of arm '" + name + "'",
                arm(name).embedding_digest, digest);
}
void TrialFolder::require_numerics(const std::string& id) const {
  require_equal(*state_, "numerics_differ", "numerics of the program", manifest().numerics, id);
}
void TrialFolder::require_arrays(const std::string& x_delta, const std::string& x_unit_delta,
                                 const std::string& mag) const {
  require_equal(*state_, "derived_changed", "SHA-256 of x_delta", manifest().x_delta_sha256, x_delta);
  require_equal(*state_, "derived_changed", "SHA-256 of x_unit_delta", manifest().x_unit_delta_sha256, x_unit_delta);
  require_equal(*state_, "derived_changed", "SHA-256 of MAG", manifest().mag_sha256, mag);
}

namespace {

void require_registrable(const TrialFolder& trial, const FolderState& state, const ArmRecord& record) {
  check_arm_name(record.arm);
  if (record.role != "primary" && record.role != "sensitivity")
    throw UsageError("--role is primary or sensitivity; found '" + record.role + "'", {.field = "role"});
  if (record.model.empty()) throw UsageError("an arm names its model", {.field = "model"});
  require_not_superseded(state);
  for (const auto& [name, history] : state.ledger.arms) {
    const bool begun_only = history.state == ArmState::kRegistered && history.torn;
    if (begun_only) continue;
    if (name == record.arm && history.role != record.role && !history.role.empty())
      refuse("role_change",
             "arm '" + name + "' was registered as " + history.role + ", and a role is never changed; found " +
                 record.role,
             trial.folder(), name);
    if (name == record.arm) refuse("arm_exists", "arm '" + name + "' is registered already", trial.folder(), name);
    if (record.role == "primary" && history.role == "primary" && trial.arm(name).model == record.model)
      refuse("primary_exists",
             "arm '" + name + "' is the primary arm of model '" + record.model + "' under this lock; register '" +
                 record.arm + "' as a sensitivity arm",
             trial.folder(), record.arm);
  }
  require_unopened_elsewhere(state, record.arm, record.embedding_digest);
}

std::int64_t next_attempt(int attempts) { return attempts + 1; }

}  // namespace

void TrialFolder::register_arm(ArmRecord record, bool with_lock) {
  require_registrable(*this, *state_, record);
  record.lock = lock_id();
  record.protocol_preserving_extension = !with_lock;
  const std::string bytes = arm_json(record);
  parse_arm(bytes, "arm.json");
  write_file(arm_path(record.arm, "arm.json"), bytes);
  append_event(*state_, "ARM_REGISTERED", record.arm, {{"arm_sha256", sha256(bytes)}, {"role", record.role}},
               now(*state_));
}

void TrialFolder::record_sanity(const std::string& arm, const SanityRecord& record, const std::string& fixed_bytes) {
  require_state(arm, Step::kSanity);
  const ArmHistory& known = history(arm);
  if (known.arm_sha256.empty())
    refuse_order(*this, arm, "arm_unknown", "its registration was cut short; register it again");
  const std::string bytes = sanity_json(record);
  if (!known.sanity_sha256.empty() && sha256(bytes) != known.sanity_sha256)
    refuse("sanity_changed",
           "arm '" + arm + "': expected the sanity run that the ledger holds, " + known.sanity_sha256 + ", found " +
               sha256(bytes),
           folder(), arm);
  // The file binds once a ledger line holds its hash; what a killed run left is written again.
  if (!ledger().fixed_sha256.empty())
    require_equal(*state_, "fixed_predictions_changed", "SHA-256 of fixed.tsv", ledger().fixed_sha256,
                  sha256(fixed_bytes));
  else
    write_file(path("fixed.tsv"), fixed_bytes);
  write_file(arm_path(arm, "sanity.json"), bytes);
  append_event(*state_, "SANITY_PASSED", arm,
               {{"attempt", next_attempt(known.sanity_attempts)},
                {"fixed_sha256", sha256(fixed_bytes)},
                {"sanity_sha256", sha256(bytes)}},
               now(*state_));
}

void TrialFolder::record_sanity_failed(const std::string& arm, const std::string& first_sha256,
                                       const std::string& second_sha256) {
  require_state(arm, Step::kSanity);
  append_event(*state_, "SANITY_FAILED", arm,
               {{"attempt", next_attempt(history(arm).sanity_attempts)},
                {"first_sha256", first_sha256},
                {"second_sha256", second_sha256}},
               now(*state_));
}

void TrialFolder::record_predicted(const std::string& arm, const PredictionsTable& table,
                                   const std::string& fixed_bytes) {
  require_state(arm, Step::kFinalTest);
  require_equal(*state_, "fixed_predictions_changed", "SHA-256 of fixed.tsv", ledger().fixed_sha256,
                sha256(fixed_bytes));
  const ArmHistory& known = history(arm);
  const std::string bytes = predictions_tsv(table);
  if (!known.predictions_sha256.empty() && sha256(bytes) != known.predictions_sha256)
    refuse("predictions_changed",
           "arm '" + arm + "': expected the predictions that the ledger holds, " + known.predictions_sha256 +
               ", found " + sha256(bytes),
           folder(), arm);
  write_file(arm_path(arm, "predictions.tsv"), bytes);
  append_event(*state_, "PREDICTED", arm,
               {{"attempt", next_attempt(known.prediction_attempts)},
                {"fixed_sha256", sha256(fixed_bytes)},
                {"parity_max_abs_delta", std::string("0")},
                {"predictions_sha256", sha256(bytes)}},
               now(*state_));
}

void TrialFolder::record_parity_failed(const std::string& arm, double max_abs_delta, const std::string& fixed_sha256) {
  require_state(arm, Step::kFinalTest);
  append_event(*state_, "PARITY_FAILED", arm,
               {{"attempt", next_attempt(history(arm).prediction_attempts)},
                {"fixed_sha256", fixed_sha256},
                {"parity_max_abs_delta", real_text(max_abs_delta)}},
               now(*state_));
}

void TrialFolder::open_test(const std::string& arm) {
  require_state(arm, Step::kOpenTest);
  write_opened_file(*state_, arm);
  append_opened(*state_, arm);
}

void TrialFolder::record_done(const std::string& arm, const PartScores& test, const OutcomeRecord& outcome,
                              bool resumed) {
  require_state(arm, Step::kResume);
  // An opening that only a torn line tells of is made good first: file, then line.
  if (history(arm).opened_seq == 0) {
    write_opened_file(*state_, arm);
    append_opened(*state_, arm);
  }
  const std::string metrics_bytes = metrics_json(test), outcome_bytes = outcome_json(outcome);
  write_file(arm_path(arm, "metrics.json"), metrics_bytes);
  write_file(arm_path(arm, "outcome.json"), outcome_bytes);
  LedgerData data{{"category", outcome.category},
                  {"metrics_sha256", sha256(metrics_bytes)},
                  {"outcome_sha256", sha256(outcome_bytes)}};
  if (resumed) data["resumed"] = true;
  append_event(*state_, "TEST_DONE", arm, std::move(data), now(*state_));
}

void TrialFolder::record_aborted(const std::string& arm, const std::string& why) {
  require_state(arm, Step::kResume);
  append_event(*state_, "TEST_ABORTED", arm, {{"why", why}}, now(*state_));
}

void TrialFolder::deposit(const std::string& status, const std::string& text, const std::string& receipt_sha256) {
  if (status != "self-reported" && status != "receipt checked")
    throw UsageError("the status of a deposit is 'self-reported' or 'receipt checked'; found '" + status + "'",
                     {.field = "status"});
  if (text.empty()) throw UsageError("a deposit says where it was made", {.field = "text"});
  if (status == "receipt checked" && !is_sha256(receipt_sha256))
    throw UsageError("a checked receipt is named by the SHA-256 of its file", {.field = "receipt"});
  LedgerData data{{"head", ledger().head()}, {"status", status}, {"text", text}};
  if (!receipt_sha256.empty()) data["receipt_sha256"] = receipt_sha256;
  append_event(*state_, "DEPOSITED", "", std::move(data), now(*state_));
}

void TrialFolder::mark_run() {
  append_event(*state_, "OVERRIDE", "", {{"what", std::string("run_all_stages")}}, now(*state_));
}

}  // namespace scvet::trial
