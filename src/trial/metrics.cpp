#include "scvet/trial/metrics.h"

#include <cmath>

#include "scvet/base/error.h"
#include "scvet/numeric/moments.h"
#include "scvet/numeric/ranks.h"
#include "scvet/numeric/regression.h"
#include "take.h"

namespace scvet::trial {
namespace {

Summary summarise_field(const PredictorScores& scores, double Scores::*field) {
  std::vector<double> values;
  for (const Scores& each : scores.seeds) values.push_back(each.*field);
  return summarise(values);
}

}  // namespace

Scores score(std::span<const double> y, std::span<const double> predicted) {
  Scores scores{.r2 = numeric::r2(y, predicted), .mae = numeric::mae(y, predicted)};
  // Ranks of NaN do not exist; a prediction that is not finite makes the other two metrics say so.
  if (std::isfinite(scores.r2)) scores.spearman = numeric::spearman(y, predicted);
  return scores;
}

std::vector<PredictorRun> cascade_runs(const FixedPredictions& fixed, const ArmPredictions& arm) {
  const std::size_t n_seeds = arm.model.size();
  return {{"MAG_ONLY", std::vector(n_seeds, fixed.mag_only)},
          {"BASELINE", std::vector(n_seeds, fixed.baseline)},
          {"MODEL", arm.model},
          {"GAUSSIAN", arm.gaussian},
          {"SHUFFLE", arm.shuffle}};
}

std::vector<PredictorScores> score_runs(std::span<const double> y, std::span<const PredictorRun> runs,
                                        std::span<const std::int64_t> rows) {
  const std::vector<double> y_part = take(y, rows);
  std::vector<PredictorScores> scores;
  for (const PredictorRun& run : runs) {
    PredictorScores of_run{run.name, {}};
    for (const std::vector<double>& predicted : run.seeds) of_run.seeds.push_back(score(y_part, take(predicted, rows)));
    scores.push_back(std::move(of_run));
  }
  return scores;
}

std::vector<PredictorScores> score_part(const TrialData& data, const FixedPredictions& fixed, const ArmPredictions& arm,
                                        Part part) {
  return score_runs(data.y, cascade_runs(fixed, arm), rows_of_part(data.split, part));
}

const PredictorScores& scores_of(std::span<const PredictorScores> scores, const char* name) {
  for (const PredictorScores& each : scores)
    if (each.name == name) return each;
  throw InternalError(std::string("scores: none of predictor ") + name);
}

std::vector<double> r2_difference(const PredictorScores& a, const PredictorScores& b) {
  std::vector<double> deltas;
  for (std::size_t seed = 0; seed < a.seeds.size(); ++seed) deltas.push_back(a.seeds[seed].r2 - b.seeds[seed].r2);
  return deltas;
}

Summary summarise(std::span<const double> values) {
  return {numeric::mean(values), numeric::standard_deviation(values)};
}

std::vector<PredictorSummary> summarise(std::span<const PredictorScores> scores) {
  std::vector<PredictorSummary> summaries;
  for (const PredictorScores& each : scores)
    summaries.push_back({each.name, summarise_field(each, &Scores::r2), summarise_field(each, &Scores::spearman),
                         summarise_field(each, &Scores::mae)});
  return summaries;
}

}  // namespace scvet::trial
