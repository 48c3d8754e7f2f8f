// Post-hoc analyses of one arm after its test (specification 20 and 22). They read stored predictions of test rows and
// cannot change the category. posthoc_json writes posthoc.json:
//
//   schema             "scvet-trial-posthoc-1"
//   arm, lock          strings
//   a1, a1g            null or {unit: "row" | "target_gene", units, rows, replicates, dropped, seed,
//                       comparisons: {BASELINE | GAUSSIAN | SHUFFLE | MAG_ONLY:
//                         {per_seed: [[low, high], ...], phase_mean: [low, high], mean: observed mean delta}}}
//                       deltas are R^2 of MODEL minus that predictor; the interval is 2.5 % to 97.5 %
//   a2                 {grid: [real], seeds_at_least: {mb, mg, gb: [int, one a grid value]},
//                       margin: {invalid, mb_mean, mb_4th, mg_mean, mg_4th, gb_mean: real},
//                       hypothetical: {mb, mg, gb, invalid: [category, one a grid value],
//                                      mb_seeds, mg_seeds: {"3","4","5": category}}}   categories of changed rules only
//   a3                 {category, criteria: [{key, label, step, value, bound, op, passed}]}   this phase's row
//   a4                 {MAG_ONLY | GAUSSIAN | SHUFFLE: {mean, positive, seeds}}   R^2 of BASELINE minus that predictor
//   probability        null or {replicates, criteria: {key: real}, categories: {category: real}}   over the A1g replicates
//   ranking            {r2, spearman, mae: [predictor, best first], spearman_as_r2, mae_as_r2: bool}   by mean over seeds
//   reported_only      [{name, label, matched, seeded, r2, spearman, mae: {mean, std}, seeds: [{r2, spearman, mae}]}]
//   increment          null or {ridge_both, ridge_x_unit, difference}   mean test R^2
//   positive_rows      {rows, r2: {predictor: mean R^2 on test rows with y > 0}}   r2 null where undefined
//   regroupings        null or {count, seed, mb: [real, one a regrouping], mean, std, low, high}
//
// Reals are strings of %.17g, undefined ones null; keys are sorted.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scvet/trial/cascade.h"
#include "scvet/trial/metrics.h"
#include "scvet/trial/published.h"

namespace scvet::trial {

// Predictions of one predictor with the rows and labels that they belong to, so that pairing can be asserted.
struct StoredArray {
  std::string name;  // of kCascadePredictors
  std::vector<std::string> row_id;
  std::vector<double> y;
  std::vector<std::vector<double>> seeds;  // [seed][row]
};

struct StoredTest {
  std::vector<std::string> row_id, target;  // test rows in table order
  std::vector<double> y;
  std::vector<std::uint32_t> seeds;
  std::vector<StoredArray> arrays;  // one a name of kCascadePredictors, in that order
};
// From predictions of all rows; data.y must hold the test part.
StoredTest stored_test(const TrialData& data, const FixedPredictions& fixed, const ArmPredictions& arm,
                       const std::vector<std::uint32_t>& seeds);
std::vector<PredictorScores> score_stored(const StoredTest& test);
StoredTest select_rows(const StoredTest& test, std::span<const std::int64_t> rows);

enum class Unit { kRow, kTargetGene };

// R^2 of every predictor and seed on resampled rows.
struct Replicates {
  Unit unit = Unit::kRow;
  std::int64_t units = 0, rows = 0;
  int requested = 0, dropped = 0;  // dropped: all drawn y equal
  std::uint32_t seed = 0;
  int n_seeds = 0;
  std::vector<std::uint32_t> first_draw;  // of the first replicate
  std::vector<double> r2;                 // [kept replicate][predictor of kCascadePredictors][seed]

  int kept() const { return requested - dropped; }
  double at(int replicate, int predictor, int model_seed) const;
};
// One stream for all replicates; the units drawn are the same for all predictors and seeds. In every replicate the drawn
// rows of each array are asserted to be those of the test, with their y: else LockError, reason pairing_broken.
Replicates bootstrap(const StoredTest& test, Unit unit, int replicates, std::uint32_t seed);

struct BootstrapIntervals {
  struct Comparison {
    std::string against;
    std::vector<Interval> per_seed;
    Interval phase_mean;
    double mean = 0;  // observed
  };
  Unit unit = Unit::kRow;
  std::int64_t units = 0, rows = 0;
  int replicates = 0, dropped = 0;
  std::uint32_t seed = 0;
  std::vector<Comparison> comparisons;  // BASELINE, GAUSSIAN, SHUFFLE, MAG_ONLY
};
BootstrapIntervals intervals(const Replicates& replicates, const StoredTest& test);

struct CriterionProbability {
  int replicates = 0;
  std::map<std::string, double> criteria;    // by Criterion::key
  std::map<std::string, double> categories;  // by category_name
};
CriterionProbability criterion_probability(const Replicates& replicates, const CascadeRule& rule);

// A2.
inline constexpr std::array<double, 9> kThresholdGrid{0, .005, .01, .015, .02, .025, .03, .04, .05};
struct ThresholdTable {
  std::vector<int> mb_at_least, mg_at_least, gb_at_least;  // seeds, one a grid value
  double margin_invalid = 0, margin_mb_mean = 0, margin_mb_4th = 0, margin_mg_mean = 0, margin_mg_4th = 0,
         margin_gb_mean = 0;
  std::vector<Category> by_mb, by_mg, by_gb, by_invalid;  // hypothetical, one a grid value
  std::array<Category, 3> by_mb_seeds, by_mg_seeds;       // hypothetical: 3, 4, 5 seeds
};
ThresholdTable threshold_table(const Deltas& deltas, const CascadeRule& rule);

// A4.
struct BaselineGap {
  std::string over;  // MAG_ONLY, GAUSSIAN, SHUFFLE
  double mean = 0;
  int positive = 0, n_seeds = 0;
};
std::vector<BaselineGap> baseline_gaps(std::span<const PredictorScores> scores);

struct Ranking {
  std::vector<std::string> by_r2, by_spearman, by_mae;  // best first; an undefined value is last
  bool spearman_as_r2 = false, mae_as_r2 = false;
};
Ranking rank_predictors(std::span<const PredictorScores> scores);

struct ReportedScores {
  std::string name, label, matched;
  bool seeded = false;
  std::vector<Scores> seeds;
  PredictorSummary summary;
};
// Test scores of predictors outside the cascade; y and rows of the data's test part.
std::vector<ReportedScores> score_reported_only(const TrialData& data, std::span<const PredictorRun> runs);

struct Increment {
  double ridge_both = 0, ridge_x_unit = 0, difference = 0;
};
std::optional<Increment> increment(std::span<const ReportedScores> reported);

struct PositiveRows {
  std::int64_t rows = 0;
  std::map<std::string, double> r2;  // NaN where undefined
};
PositiveRows positive_rows(const StoredTest& test);

// Spread of MB that the luck of the split gives: train and val genes are divided anew, everything is trained again, and
// MB is measured on the held-out side. Never reads a test row.
struct Regroupings {
  std::uint32_t seed = 0;
  std::vector<double> mb;  // mean over the seeds, one a regrouping
  Summary summary{};
  double low = 0, high = 0;  // smallest, largest
};
inline constexpr std::uint32_t kRegroupingSeed = 20260610;
Regroupings regroup(const TrialData& data, MatrixView<const double> z, const Protocol& protocol, int count = 20,
                    std::uint32_t seed = kRegroupingSeed);

struct Posthoc {
  std::string arm, lock;
  std::optional<BootstrapIntervals> a1, a1g;
  ThresholdTable a2;
  Outcome a3;
  std::vector<BaselineGap> a4;
  std::optional<CriterionProbability> probability;
  Ranking ranking;
  std::vector<ReportedScores> reported_only;
  std::optional<Increment> increment;
  PositiveRows positive;
  std::optional<Regroupings> regroupings;
};
// All of the above that stored predictions suffice for: everything but reported_only, increment and regroupings.
Posthoc analyse_stored(const StoredTest& test, const Protocol& protocol, const std::string& arm,
                       const std::string& lock);
std::string posthoc_json(const Posthoc& posthoc);

}  // namespace scvet::trial
