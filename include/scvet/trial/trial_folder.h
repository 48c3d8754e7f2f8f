// A trial folder: all that is locked, the ledger, the states of its arms, and the guard over them. Specification 13-17.
// Every refusal is a LockError whose facts().reason is the stable word; see docs/trial-lock.md.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scvet/trial/ledger.h"
#include "scvet/trial/lock_records.h"
#include "scvet/trial/lock_tables.h"
#include "scvet/trial/mirror.h"
#include "scvet/trial/protocol.h"

namespace scvet::trial {

struct FolderOptions {
  std::string state_dir;               // --state-dir; "": the user's (state_folder)
  std::function<std::string()> clock;  // "2026-01-01T00:00:00Z", asked once a ledger line; unset: the real time in UTC
  std::string software_version;        // "": this program's
  std::string attested_by;             // --attested-by; "": the user's name
  bool break_lock = false;             // --break-lock: take over from a writer that died
};

// What `lock` has computed. Hashes, counts of rows and genes a part, leaked genes and prior locks are made from it.
struct LockContents {
  Protocol protocol;
  DataRecord data;
  std::vector<RowLine> rows;
  std::vector<SplitLine> split;
  std::vector<LabelLine> labels_trainval, labels_test;
  std::string x_delta_sha256, x_unit_delta_sha256, mag_sha256;
  std::string split_origin = "derived";
  std::optional<std::uint32_t> split_seed;
  std::string numerics;
  bool underpowered = false;
  std::optional<Supersedes> supersedes;
  std::vector<std::string> cell_sketch;  // goes to the mirror only
};

enum class Step { kSanity, kFinalTest, kOpenTest, kResume, kAfterDone };

struct Deposit {
  std::int64_t seq = 0;
  std::string time, status, text, lock, head;  // head: of the ledger before this event
};

struct Disclosures {
  std::int64_t prior_openings = 0;         // of tests on this data, before this arm's
  std::int64_t locks_on_this_data = 1;     // this one counts
  std::int64_t arm_index = 0, n_arms = 0;  // arm k of K, in the order of registration
  std::string deposit = "none";            // none, self-reported, receipt checked: before this arm's test was opened
  std::string deposit_after = "none";      // the same behind its end
  bool pre_registered = true;              // false: mark_run was called
  bool state_folder = true;                // false: no mirror could be written, rollbacks are not seen
  bool clock_set_back = false;
  std::vector<std::string> superseded_locks;  // that this one replaces
  std::vector<std::string> notes;  // sentences for the report: repairs, overrides, files that were unreadable
};

struct FolderState;

class TrialFolder {
 public:
  // Writes a new lock into `folder` (made if missing; UsageError when it holds a lock already) and opens it for writing.
  static TrialFolder create(const std::string& folder, const LockContents& contents, const FolderOptions& options);
  // For reading: no refusal but not_locked and unreadable files; problems() tells what is wrong.
  static TrialFolder open(const std::string& folder, const FolderOptions& options);
  // For a step: one writer at a time, crash repairs of specification 15 made and recorded, then require_intact().
  static TrialFolder open_for_writing(const std::string& folder, const FolderOptions& options);
  ~TrialFolder();
  TrialFolder(TrialFolder&&) noexcept;
  TrialFolder& operator=(TrialFolder&&) noexcept;

  // Level 1 of verify: every hash, the chain, head, mirror, states.
  const std::vector<Problem>& problems() const;
  void require_intact() const;  // throws the first problem
  // Adds the arrays of derived/ (x_delta.npy, mag.npy, z_<arm>.npy, those that are there) to what problems()
  // looked at: large files, so only verify and the final test ask for it.
  void check_derived();

  const std::string& folder() const;
  std::string path(const std::string& name) const;                              // <folder>/<name>
  std::string arm_path(const std::string& arm, const std::string& name) const;  // <folder>/arms/<arm>/<name>
  std::string derived_path(const std::string& name) const;                      // <folder>/derived/<name>
  const std::string& lock_id() const;
  const Protocol& protocol() const;
  const DataRecord& data() const;
  const ManifestRecord& manifest() const;
  const Ledger& ledger() const;
  std::vector<RowLine> rows() const;
  std::vector<SplitLine> split() const;
  std::vector<LabelLine> labels_trainval() const;
  // The labels of the test part: LockError before_test_done unless the arm's test is opened, label_changed when their
  // bytes differ from the manifest's hash.
  std::vector<LabelLine> labels_test(const std::string& arm) const;

  std::vector<std::string> arms() const;  // in the order of registration
  // The most advanced state that ledger, test.opened and mirror tell of; kUnknown for an arm that is not there.
  ArmState state(const std::string& arm) const;
  const ArmHistory& history(const std::string& arm) const;  // arm_unknown
  ArmRecord arm(const std::string& name) const;             // these read and check against the ledger's hash
  std::string fixed() const;                                // bytes of fixed.tsv; "" before the first sanity
  SanityRecord sanity(const std::string& arm) const;        // sanity_missing
  std::string sanity_bytes(const std::string& arm) const;
  PredictionsTable predictions(const std::string& arm) const;
  PartScores metrics(const std::string& arm) const;  // before_test_done
  OutcomeRecord outcome(const std::string& arm) const;

  // Refusals of order: arm_unknown, sanity_missing, sanity_failed, parity_failed, test_already_opened, resume_needed,
  // resume_not_allowed, aborted_is_final, before_test_done, superseded.
  void require_state(const std::string& arm, Step step) const;
  void require_counts(const std::string& counts_digest) const;                      // counts_changed
  void require_counts_file(const std::string& sha256) const;                        // counts_changed
  void require_design(const std::string& design_digest) const;                      // design_changed
  void require_embedding(const std::string& arm, const std::string& digest) const;  // embedding_changed
  void require_numerics(const std::string& numerics_id) const;                      // numerics_differ
  void require_arrays(const std::string& x_delta, const std::string& x_unit_delta,
                      const std::string& mag) const;  // derived_changed

  // Transitions; each needs open_for_writing (or create) and leaves the folder either before or after.
  // `with_lock`: registered by `lock` itself; otherwise protocol_preserving_extension is set.
  void register_arm(ArmRecord record, bool with_lock);  // arm_exists, role_change, primary_exists, test_already_opened
  // Both runs were equal. fixed_bytes must be those of the first sanity (fixed_predictions_changed).
  void record_sanity(const std::string& arm, const SanityRecord& record, const std::string& fixed_bytes);
  void record_sanity_failed(const std::string& arm, const std::string& first_sha256, const std::string& second_sha256);
  // The retraining gave sanity's val metrics and fixed.tsv. predictions_changed when another hash was recorded before.
  void record_predicted(const std::string& arm, const PredictionsTable& table, const std::string& fixed_bytes);
  void record_parity_failed(const std::string& arm, double max_abs_delta, const std::string& fixed_sha256);
  void open_test(const std::string& arm);  // test.opened (O_CREAT, O_EXCL), then the line
  void record_done(const std::string& arm, const PartScores& test, const OutcomeRecord& outcome, bool resumed = false);
  void record_aborted(const std::string& arm, const std::string& why);
  // status: self-reported (text given), receipt checked (receipt_sha256 of the token or signature file).
  void deposit(const std::string& status, const std::string& text, const std::string& receipt_sha256 = "");
  // `trial run`: an OVERRIDE event that says that no window for a deposit was left.
  void mark_run();

  std::vector<Deposit> deposits() const;
  Disclosures disclosures(const std::string& arm) const;
  const std::vector<KnownLock>& others() const;  // every other lock that is known here

 private:
  explicit TrialFolder(std::unique_ptr<FolderState> state);
  std::unique_ptr<FolderState> state_;
};

// Refuses (protocol_differs) unless both locks have the same protocol hash.
void require_same_protocol(const TrialFolder& a, const TrialFolder& b);

// Two-party mode: SHA-256(salt || bytes of labels.test.tsv), salt as 64 hexadecimal digits.
std::string label_commitment(const std::string& salt_hex, std::string_view label_bytes);
void require_commitment(const std::string& commitment, const std::string& salt_hex, std::string_view label_bytes,
                        const std::string& file);  // commitment_mismatch

}  // namespace scvet::trial
