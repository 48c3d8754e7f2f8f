// Spread of Model - Baseline over divisions of the train and val genes (specification 22); test rows take no part.
#include <algorithm>
#include <cmath>
#include <map>

#include "scvet/base/text.h"
#include "scvet/numeric/moments.h"
#include "scvet/numeric/mt19937.h"
#include "scvet/trial/controls.h"
#include "scvet/trial/posthoc.h"

namespace scvet::trial {
namespace {

// The rows outside the test, with arrays of their own.
struct Pool {
  std::vector<std::int64_t> rows;
  std::vector<double> x_delta, x_unit_delta, mag, z;
  TrialData data;
  std::vector<std::string> targets;  // sorted
};

MatrixView<const double> view(const std::vector<double>& values, std::int64_t rows, std::int64_t cols) {
  return {values.data(), rows, cols};
}

void gather(Pool& pool, const TrialData& data, MatrixView<const double> z) {
  for (std::size_t row = 0; row < data.y.size(); ++row)
    if (data.split.part[row] != Part::kTest) pool.rows.push_back(static_cast<std::int64_t>(row));
  const auto n = static_cast<std::int64_t>(pool.rows.size());
  pool.x_unit_delta = take_rows(data.x_unit_delta, pool.rows);
  pool.mag = take_rows(data.mag, pool.rows);
  pool.z = take_rows(z, pool.rows);
  pool.data.x_unit_delta = view(pool.x_unit_delta, n, data.x_unit_delta.cols);
  pool.data.mag = view(pool.mag, n, data.mag.cols);
  for (const std::int64_t row : pool.rows) {
    const auto at = static_cast<std::size_t>(row);
    pool.data.row_id.push_back(data.row_id[at]);
    pool.data.target.push_back(data.target[at]);
    pool.data.y.push_back(data.y[at]);
  }
  pool.targets = sorted_distinct(pool.data.target);
}

// The first of the permuted genes learn, the rest are held out as val. There is no test part.
Split divide(const Pool& pool, numeric::Mt19937& stream, int n_folds) {
  constexpr double kLearning = 14.0, kAll = 17.0;
  const auto n = static_cast<std::uint32_t>(pool.targets.size());
  const auto n_learning = static_cast<std::size_t>(std::rint(kLearning * n / kAll));
  const std::vector<std::uint32_t> order = stream.permutation(n);
  std::map<std::string, Part> part_of;
  for (std::size_t place = 0; place < order.size(); ++place)
    part_of[pool.targets[order[place]]] = place < n_learning ? Part::kTrain : Part::kVal;
  std::vector<Part> part;
  for (const std::string& target : pool.data.target) part.push_back(part_of[target]);
  return with_folds(pool.data.target, std::move(part), n_folds);
}

double mean_mb(const TrialData& data, MatrixView<const double> z, const Protocol& protocol) {
  const FixedPredictions fixed = fit_fixed(data, protocol);
  const PredictorRecord* const model[] = {&predictor("MODEL")};
  std::vector<PredictorRun> runs = run_predictors({data, fixed, z, protocol, {}}, model);
  runs.push_back({"BASELINE", std::vector(protocol.seeds.size(), fixed.baseline)});
  const std::vector<PredictorScores> scores = score_runs(data.y, runs, rows_of_part(data.split, Part::kVal));
  return numeric::mean(r2_difference(scores[0], scores[1]));
}

}  // namespace

Regroupings regroup(const TrialData& data, MatrixView<const double> z, const Protocol& protocol, int count,
                    std::uint32_t seed) {
  Pool pool;
  gather(pool, data, z);
  numeric::Mt19937 stream(seed);
  Regroupings found;
  found.seed = seed;
  for (int at = 0; at < count; ++at) {
    pool.data.split = divide(pool, stream, protocol.cv_folds);
    found.mb.push_back(mean_mb(pool.data, view(pool.z, static_cast<std::int64_t>(pool.rows.size()), z.cols), protocol));
  }
  found.summary = summarise(found.mb);
  const auto [low, high] = std::minmax_element(found.mb.begin(), found.mb.end());
  found.low = *low;
  found.high = *high;
  return found;
}

}  // namespace scvet::trial
