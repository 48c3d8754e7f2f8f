#include "scvet/trial/train.h"

#include "residual_fits.h"
#include "scvet/base/error.h"
#include "scvet/base/parallel.h"
#include "scvet/base/registry.h"

namespace scvet::trial {
namespace {

void check_shapes(const TrialData& data) {
  const auto n = static_cast<std::int64_t>(data.y.size());
  const auto n_parts = static_cast<std::int64_t>(data.split.part.size());
  const auto n_folds = static_cast<std::int64_t>(data.split.fold.size());
  if (n_parts != n || n_folds != n || data.mag.rows != n || data.x_unit_delta.rows != n)
    throw InternalError("trial: labels, split, MAG and x_unit_delta do not have the same number of rows");
}

std::vector<std::vector<double>> seeds_of(std::vector<PredictorRun>& runs, const char* name) {
  for (PredictorRun& run : runs)
    if (run.name == name) return std::move(run.seeds);
  throw InternalError(std::string("trial: no run of predictor ") + name);
}

}  // namespace

const PredictorRecord& predictor(const std::string& name) { return find_variant(predictors(), name, "predictor"); }

FixedPredictions fit_fixed(const TrialData& data, const Protocol& protocol) {
  check_shapes(data);
  numeric::RidgeFit anchor = fit_anchor(data, protocol);
  FixedPredictions fixed;
  fixed.anchor_alpha = anchor.alpha;
  fixed.mag_only = std::move(anchor.predictions);
  BaselineFit baseline = fit_baseline(data, fixed.mag_only, protocol);
  fixed.baseline_alpha = baseline.alpha;
  fixed.baseline = std::move(baseline.predictions);
  return fixed;
}

std::vector<PredictorRun> run_predictors(const PredictorInput& input, std::span<const PredictorRecord* const> chosen) {
  check_shapes(input.data);
  const std::vector<std::uint32_t>& seeds = input.protocol.seeds;
  std::vector<PredictorRun> runs;
  std::vector<FeatureMatrix> features;
  struct Training {
    const PredictorRecord* record;
    std::size_t run, seed;
  };
  std::vector<Training> trainings;
  for (const PredictorRecord* record : chosen) {
    if (record->applies && !record->applies(input)) continue;
    features.push_back(record->features ? record->features(input) : FeatureMatrix{});
    runs.push_back({record->name, {}});
    if (record->seeded) {
      runs.back().seeds.resize(seeds.size());
      for (std::size_t seed = 0; seed < seeds.size(); ++seed) trainings.push_back({record, runs.size() - 1, seed});
    } else {  // shares its own work among the workers
      runs.back().seeds.assign(seeds.size(), record->predict(input, features.back(), 0));
    }
  }
  parallel_for(static_cast<std::int64_t>(trainings.size()), [&](std::int64_t task, int) {
    const auto& [record, run, seed] = trainings[static_cast<std::size_t>(task)];
    runs[run].seeds[seed] = record->predict(input, features[run], seeds[seed]);
  });
  return runs;
}

ArmPredictions train_arm(const TrialData& data, const FixedPredictions& fixed, MatrixView<const double> z,
                         const Protocol& protocol) {
  const PredictorRecord* const chosen[] = {&predictor("MODEL"), &predictor("GAUSSIAN"), &predictor("SHUFFLE")};
  std::vector<PredictorRun> runs = run_predictors({data, fixed, z, protocol, {}}, chosen);
  return {seeds_of(runs, "MODEL"), seeds_of(runs, "GAUSSIAN"), seeds_of(runs, "SHUFFLE")};
}

std::vector<PredictorRun> run_reported_only(const PredictorInput& input) {
  std::vector<const PredictorRecord*> chosen;
  for (const PredictorRecord* record : predictors())
    if (!record->in_cascade) chosen.push_back(record);
  return run_predictors(input, chosen);
}

}  // namespace scvet::trial
