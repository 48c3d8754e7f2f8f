// The JSON records of a trial folder (specification 13, 14, 16): one struct, writer and reader each. Writers give the
// canonical bytes with the final newline; readers accept canonical bytes only (DataError naming file and key).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace scvet::trial {

// data.json
struct DataRecord {
  std::string row_key, target_key, batch_key, control_label, layer;
  std::string counts_digest, design_digest;
  std::string counts_file_sha256;
  std::int64_t n_cells = 0, n_genes = 0, n_nt = 0, rows_eligible = 0, rows_excluded = 0, target_genes = 0;
  bool operator==(const DataRecord&) const = default;
};
std::string data_json(const DataRecord& record);
DataRecord parse_data(std::string_view text, const std::string& where);

// manifest.json; its SHA-256 is the lock id.
struct PartSize {
  std::int64_t rows = 0, target_genes = 0;
  bool operator==(const PartSize&) const = default;
};
struct Supersedes {
  std::string lock, reason;
  bool operator==(const Supersedes&) const = default;
};
struct ManifestRecord {
  std::string protocol_sha256, data_sha256;
  std::string rows_sha256, split_sha256, labels_trainval_sha256, labels_test_sha256;  // of the four tables
  std::string x_delta_sha256, x_unit_delta_sha256, mag_sha256;                        // of little-endian float64
  std::string split_origin = "derived";     // derived, custom, file, or the name of a preset
  std::optional<std::uint32_t> split_seed;  // none: a split file
  PartSize train, val, test;
  std::int64_t leaked_target_genes = 0;
  std::string numerics;
  std::int64_t prior_locks_on_this_data = 0;
  bool underpowered = false;
  std::optional<Supersedes> supersedes;
  std::string software_version, created, attested_by;  // the four attestations are always true: no lock without them
  bool operator==(const ManifestRecord&) const = default;
};
std::string manifest_json(const ManifestRecord& record);
ManifestRecord parse_manifest(std::string_view text, const std::string& where);

// The extraction record of specification 13. Empty optionals are written as null.
struct ExtractionRecord {
  std::optional<std::string> checkpoint, checkpoint_sha256, vocabulary, vocabulary_sha256, tokenisation, normalisation,
      binning, layer, pooling, precision, tool, tool_version, pretraining_corpus, pretraining_snapshot;
  std::optional<std::int64_t> genes_matched, genes_total, max_length, cells_truncated;
  bool fine_tuned = false;  // must stay false: a trial judges frozen representations
  bool operator==(const ExtractionRecord&) const = default;
};
// The names of all its keys, for help and docs.
std::vector<std::string> extraction_keys();
// Reads the file of --extraction; blanks and the order of keys are free. A key that is not there (null must be
// written), or fine_tuned true: LockError record_incomplete naming each. An unknown key: DataError.
ExtractionRecord parse_extraction(std::string_view text, const std::string& where);
std::string extraction_json(const ExtractionRecord& record);

// arms/<name>/arm.json
struct ArmRecord {
  std::string arm, model;
  std::string role = "primary";  // primary, sensitivity
  std::string embedding_digest, embedding_key, z_sha256;
  std::int64_t dim = 0;
  ExtractionRecord extraction;
  bool protocol_preserving_extension = false;  // set by TrialFolder::register_arm: not registered with the lock
  std::string lock;                            // set by TrialFolder::register_arm
  bool operator==(const ArmRecord&) const = default;
};
std::string arm_json(const ArmRecord& record);
ArmRecord parse_arm(std::string_view text, const std::string& where);
// A name is a folder's name: 1 to 64 of A-Z a-z 0-9 . _ - and no leading dot or minus. UsageError.
void check_arm_name(const std::string& name);

// Scores of one predictor and seed. spearman NaN: null (a constant input).
struct SeedScores {
  double r2 = 0, spearman = 0, mae = 0;
};
// predictor name (MAG_ONLY, BASELINE, MODEL, GAUSSIAN, SHUFFLE) -> seed -> scores
using PartScores = std::map<std::string, std::map<std::uint32_t, SeedScores>>;

// arms/<name>/sanity.json
struct SanityRecord {
  double anchor_alpha = 0, baseline_alpha = 0;
  PartScores train, val;
};
std::string sanity_json(const SanityRecord& record);
SanityRecord parse_sanity(std::string_view text, const std::string& where);

// arms/<name>/metrics.json: the test part.
std::string metrics_json(const PartScores& test);
PartScores parse_metrics(std::string_view text, const std::string& where);

// arms/<name>/outcome.json
struct OutcomeRecord {
  std::string category;
  bool invalid = false, mb_mean = false, mg_mean = false, gb_mean = false, positive = false;
  std::int64_t mb_seeds = 0, mg_seeds = 0;
  double mean_mb = 0, mean_mg = 0, mean_gb = 0, mean_sm = 0;
  std::vector<double> mb, mg, gb, sm;  // one a seed
  std::string prefix, role;
  bool operator==(const OutcomeRecord&) const = default;
};
std::string outcome_json(const OutcomeRecord& record);
OutcomeRecord parse_outcome(std::string_view text, const std::string& where);

// arms/<name>/test.opened
struct OpenedRecord {
  std::string arm, lock, predictions_sha256;
  std::string prev;  // SHA-256 of the ledger's last line when the test was opened
  bool operator==(const OpenedRecord&) const = default;
};
std::string opened_json(const OpenedRecord& record);
OpenedRecord parse_opened(std::string_view text, const std::string& where);

}  // namespace scvet::trial
