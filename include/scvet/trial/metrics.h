// How well predictors fit a part, per seed.
#pragma once

#include <array>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "scvet/trial/predictor.h"
#include "scvet/trial/train.h"

namespace scvet::trial {

inline constexpr std::array<const char*, 5> kCascadePredictors{"MAG_ONLY", "BASELINE", "MODEL", "GAUSSIAN", "SHUFFLE"};

struct Scores {
  double r2 = std::numeric_limits<double>::quiet_NaN();
  double spearman = std::numeric_limits<double>::quiet_NaN();  // NaN (null in files): constant predictions
  double mae = std::numeric_limits<double>::quiet_NaN();
};
// SS_tot = 0: DataError, reason ss_tot_zero.
Scores score(std::span<const double> y, std::span<const double> predicted);

struct PredictorScores {
  std::string name;
  std::vector<Scores> seeds;  // in protocol order
};
// One entry a name of kCascadePredictors, in that order, over the rows of `part`.
std::vector<PredictorScores> score_part(const TrialData& data, const FixedPredictions& fixed, const ArmPredictions& arm,
                                        Part part);
std::vector<PredictorScores> score_runs(std::span<const double> y, std::span<const PredictorRun> runs,
                                        std::span<const std::int64_t> rows);

const PredictorScores& scores_of(std::span<const PredictorScores> scores, const char* name);  // InternalError: absent

// The five as runs, so that analyses see one shape.
std::vector<PredictorRun> cascade_runs(const FixedPredictions& fixed, const ArmPredictions& arm);

// R^2 of a minus R^2 of b, one a seed.
std::vector<double> r2_difference(const PredictorScores& a, const PredictorScores& b);

struct Summary {
  double mean, std;  // std: ddof 1; NaN for one value
};
Summary summarise(std::span<const double> values);

struct PredictorSummary {
  std::string name;
  Summary r2, spearman, mae;
};
std::vector<PredictorSummary> summarise(std::span<const PredictorScores> scores);

}  // namespace scvet::trial
