// What the stages of a trial share: opening the folder, its arrays and labels, and the way back to the inputs.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scvet/jobs/trial.h"
#include "scvet/trial/metrics.h"
#include "scvet/trial/predictor.h"
#include "scvet/trial/trial_folder.h"
#include "trial_inputs.h"

namespace scvet::jobs {

trial::FolderOptions folder_options(const TrialPlace& place, const TrialInjection& injection = {});
// `arm`, or the only one there is; UsageError that lists them where there are several.
std::string choose_arm(const trial::TrialFolder& folder, const std::string& arm);

// derived/inputs.json: where the inputs lay. A convenience without a digest: what is read from there is checked.
struct TrialPaths {
  TrialCounts counts;
  std::map<std::string, TrialEmbedding> embeddings;  // by arm
};
void save_paths(const std::string& trial_folder, const TrialPaths& paths);
TrialPaths load_paths(const trial::TrialFolder& folder);
// The screen as the lock describes it: at `path`, or where lock found it. DataError where neither is there,
// design_changed where its obs differ.
TrialScreenFile reopen_screen(const trial::TrialFolder& folder, const std::string& path);
// Places of the folder's eligible rows in the design; rows_changed where they are not its rows.
std::vector<std::int64_t> eligible_rows(const trial::TrialFolder& folder, const trial::Design& design);
// The arm's embedding read again: embedding_changed unless it is the registered one.
TrialEmbeddingPass reread_embedding(const trial::TrialFolder& folder, const std::string& arm,
                                    const TrialEmbedding& given, const TrialScreenFile& screen,
                                    std::span<const std::uint64_t> record_hash);

// derived/: arrays of float64 that the manifest has the digests of.
void save_derived(const std::string& trial_folder, const std::string& name, std::span<const double> values,
                  std::int64_t rows, std::int64_t columns);
// derived_changed where it is missing or of another shape.
std::vector<double> load_derived(const trial::TrialFolder& folder, const std::string& name, std::int64_t rows,
                                 std::int64_t columns);

// The trial in memory, labels of the test part withheld (NaN).
struct LoadedTrial {
  std::vector<double> x_delta, x_unit_delta, mag;
  trial::TrialData data;
};
// Unmovable: data views the arrays. Checks their digests against the manifest.
std::unique_ptr<LoadedTrial> load_trial(const trial::TrialFolder& folder);
// Puts the labels of the test part in; the arm's test must be open.
void reveal_labels(const trial::TrialFolder& folder, const std::string& arm, trial::TrialData& data);

struct ArmMatrix {
  std::vector<double> values;
  std::int64_t dim = 0;
  MatrixView<const double> view(std::int64_t rows) const { return {values.data(), rows, dim}; }
};
ArmMatrix load_z(const trial::TrialFolder& folder, const std::string& arm);

trial::FixedPredictions parse_fixed_predictions(const trial::TrialFolder& folder, const trial::TrialData& data);
std::string fixed_bytes(const trial::TrialData& data, const trial::FixedPredictions& fixed);
// Stored predictions of val and test rows; NaN on train rows.
trial::ArmPredictions stored_predictions(const trial::TrialFolder& folder, const std::string& arm,
                                         const trial::TrialData& data);
trial::PartScores part_scores(std::span<const trial::PredictorScores> scores, const trial::Protocol& protocol);

// What stands before a category, in the order of the specification (18); flags are not among them.
std::vector<std::string> headline_prefixes(const trial::TrialFolder& folder, const std::string& arm);
}  // namespace scvet::jobs
