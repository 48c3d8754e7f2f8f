#include "scvet/trial/posthoc.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "scvet/base/error.h"
#include "scvet/numeric/moments.h"
#include "scvet/numeric/regression.h"
#include "take.h"

namespace scvet::trial {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double fourth_best(std::vector<double> deltas) {
  constexpr std::size_t kFourth = 4;
  if (deltas.size() < kFourth) return kNaN;
  std::sort(deltas.begin(), deltas.end(), std::greater<>());
  return deltas[kFourth - 1];
}

// Best first; NaN last; equal values keep their order.
std::vector<std::string> ranked(std::span<const PredictorSummary> summaries, double sign,
                                Summary PredictorSummary::*metric) {
  std::vector<const PredictorSummary*> order;
  for (const PredictorSummary& each : summaries) order.push_back(&each);
  std::stable_sort(order.begin(), order.end(), [&](const auto* a, const auto* b) {
    const double left = (a->*metric).mean, right = (b->*metric).mean;
    if (std::isnan(left) || std::isnan(right)) return !std::isnan(left) && std::isnan(right);
    return sign * left > sign * right;
  });
  std::vector<std::string> names;
  for (const PredictorSummary* each : order) names.push_back(each->name);
  return names;
}

}  // namespace

StoredTest stored_test(const TrialData& data, const FixedPredictions& fixed, const ArmPredictions& arm,
                       const std::vector<std::uint32_t>& seeds) {
  const std::vector<std::int64_t> rows = rows_of_part(data.split, Part::kTest);
  StoredTest test{take(data.row_id, rows), take(data.target, rows), take(data.y, rows), seeds, {}};
  for (const PredictorRun& run : cascade_runs(fixed, arm)) {
    StoredArray array{run.name, test.row_id, test.y, {}};
    for (const std::vector<double>& predicted : run.seeds) array.seeds.push_back(take(predicted, rows));
    test.arrays.push_back(std::move(array));
  }
  return test;
}

StoredTest select_rows(const StoredTest& test, std::span<const std::int64_t> rows) {
  StoredTest selected{take(test.row_id, rows), take(test.target, rows), take(test.y, rows), test.seeds, {}};
  for (const StoredArray& array : test.arrays) {
    StoredArray part{array.name, take(array.row_id, rows), take(array.y, rows), {}};
    for (const std::vector<double>& predicted : array.seeds) part.seeds.push_back(take(predicted, rows));
    selected.arrays.push_back(std::move(part));
  }
  return selected;
}

std::vector<PredictorScores> score_stored(const StoredTest& test) {
  std::vector<PredictorScores> scores;
  for (const StoredArray& array : test.arrays) {
    PredictorScores of_one{array.name, {}};
    for (const std::vector<double>& predicted : array.seeds) of_one.seeds.push_back(score(array.y, predicted));
    scores.push_back(std::move(of_one));
  }
  return scores;
}

ThresholdTable threshold_table(const Deltas& deltas, const CascadeRule& rule) {
  ThresholdTable table;
  for (const double threshold : kThresholdGrid) {
    table.mb_at_least.push_back(seeds_at_least(deltas.mb, threshold));
    table.mg_at_least.push_back(seeds_at_least(deltas.mg, threshold));
    table.gb_at_least.push_back(seeds_at_least(deltas.gb, threshold));
    CascadeRule mb = rule, mg = rule, gb = rule, invalid = rule;
    mb.mb_mean = mb.mb_seed = threshold;
    mg.mg_mean = mg.mg_seed = threshold;
    gb.gb_mean = threshold;
    invalid.invalid_abs_sm = threshold;
    table.by_mb.push_back(walk_cascade(deltas, mb));
    table.by_mg.push_back(walk_cascade(deltas, mg));
    table.by_gb.push_back(walk_cascade(deltas, gb));
    table.by_invalid.push_back(walk_cascade(deltas, invalid));
  }
  for (int needed = 3; needed <= 5; ++needed) {
    CascadeRule mb = rule, mg = rule;
    mb.mb_seeds = mg.mg_seeds = needed;
    const auto place = static_cast<std::size_t>(needed - 3);
    table.by_mb_seeds[place] = walk_cascade(deltas, mb);
    table.by_mg_seeds[place] = walk_cascade(deltas, mg);
  }
  table.margin_invalid = std::fabs(deltas.mean_sm) - rule.invalid_abs_sm;
  table.margin_mb_mean = deltas.mean_mb - rule.mb_mean;
  table.margin_mb_4th = fourth_best(deltas.mb) - rule.mb_seed;
  table.margin_mg_mean = deltas.mean_mg - rule.mg_mean;
  table.margin_mg_4th = fourth_best(deltas.mg) - rule.mg_seed;
  table.margin_gb_mean = deltas.mean_gb - rule.gb_mean;
  return table;
}

std::vector<BaselineGap> baseline_gaps(std::span<const PredictorScores> scores) {
  const PredictorScores& baseline = scores_of(scores, "BASELINE");
  std::vector<BaselineGap> gaps;
  for (const char* name : {"MAG_ONLY", "GAUSSIAN", "SHUFFLE"}) {
    const PredictorScores& other = scores_of(scores, name);
    const std::vector<double> deltas = r2_difference(baseline, other);
    const auto positive = std::count_if(deltas.begin(), deltas.end(), [](double delta) { return delta > 0; });
    gaps.push_back({name, numeric::mean(deltas), static_cast<int>(positive), static_cast<int>(deltas.size())});
  }
  return gaps;
}

Ranking rank_predictors(std::span<const PredictorScores> scores) {
  const std::vector<PredictorSummary> summaries = summarise(scores);
  Ranking ranking{ranked(summaries, 1, &PredictorSummary::r2), ranked(summaries, 1, &PredictorSummary::spearman),
                  ranked(summaries, -1, &PredictorSummary::mae)};
  ranking.spearman_as_r2 = ranking.by_spearman == ranking.by_r2;
  ranking.mae_as_r2 = ranking.by_mae == ranking.by_r2;
  return ranking;
}

std::vector<ReportedScores> score_reported_only(const TrialData& data, std::span<const PredictorRun> runs) {
  const std::vector<PredictorScores> scores = score_runs(data.y, runs, rows_of_part(data.split, Part::kTest));
  const std::vector<PredictorSummary> summaries = summarise(scores);
  std::vector<ReportedScores> reported;
  for (std::size_t at = 0; at < scores.size(); ++at) {
    const PredictorRecord& record = predictor(scores[at].name);
    reported.push_back({record.name, record.label, record.matched, record.seeded, scores[at].seeds, summaries[at]});
  }
  return reported;
}

std::optional<Increment> increment(std::span<const ReportedScores> reported) {
  const ReportedScores *both = nullptr, *alone = nullptr;
  for (const ReportedScores& each : reported) {
    if (each.name == "RIDGE_BOTH") both = &each;
    if (each.name == "RIDGE_X_UNIT_DELTA") alone = &each;
  }
  if (!both || !alone) return std::nullopt;
  const double with = both->seeds.front().r2, without = alone->seeds.front().r2;  // one value for all seeds
  return Increment{with, without, with - without};
}

PositiveRows positive_rows(const StoredTest& test) {
  std::vector<std::int64_t> rows;
  for (std::size_t row = 0; row < test.y.size(); ++row)
    if (test.y[row] > 0) rows.push_back(static_cast<std::int64_t>(row));
  PositiveRows found{static_cast<std::int64_t>(rows.size()), {}};
  const StoredTest positive = select_rows(test, rows);
  const bool constant = numeric::is_constant(positive.y);
  for (const StoredArray& array : positive.arrays) {
    std::vector<double> r2;
    if (!constant)
      for (const std::vector<double>& predicted : array.seeds) r2.push_back(numeric::r2(array.y, predicted));
    found.r2[array.name] = constant ? kNaN : numeric::mean(r2);
  }
  return found;
}

Posthoc analyse_stored(const StoredTest& test, const Protocol& protocol, const std::string& arm,
                       const std::string& lock) {
  const std::vector<PredictorScores> scores = score_stored(test);
  const Replicates rows = bootstrap(test, Unit::kRow, protocol.bootstrap, protocol.bootstrap_seed);
  const Replicates genes = bootstrap(test, Unit::kTargetGene, protocol.bootstrap, protocol.bootstrap_seed);
  Posthoc posthoc;
  posthoc.arm = arm;
  posthoc.lock = lock;
  if (rows.kept() > 0) posthoc.a1 = intervals(rows, test);
  if (genes.kept() > 0) {
    posthoc.a1g = intervals(genes, test);
    posthoc.probability = criterion_probability(genes, protocol.cascade);
  }
  posthoc.a3 = decide(scores, protocol);
  posthoc.a2 = threshold_table(posthoc.a3.deltas, protocol.cascade);
  posthoc.a4 = baseline_gaps(scores);
  posthoc.ranking = rank_predictors(scores);
  posthoc.positive = positive_rows(test);
  return posthoc;
}

}  // namespace scvet::trial
