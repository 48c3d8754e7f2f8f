#include "scvet/trial/audits.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "scvet/base/error.h"
#include "scvet/numeric/moments.h"
#include "scvet/numeric/order_statistics.h"
#include "scvet/numeric/ranks.h"
#include "scvet/numeric/regression.h"

namespace scvet::trial {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
using Values = std::vector<double>;

// The places where all of the vectors have a value.
std::vector<Values> complete(std::initializer_list<std::span<const double>> vectors) {
  std::vector<Values> kept(vectors.size());
  const std::size_t n = vectors.begin()->size();
  for (const auto& each : vectors)
    if (each.size() != n) return kept;  // not computed
  for (std::size_t row = 0; row < n; ++row) {
    if (std::any_of(vectors.begin(), vectors.end(), [&](const auto& each) { return std::isnan(each[row]); })) continue;
    std::size_t at = 0;
    for (const auto& each : vectors) kept[at++].push_back(each[row]);
  }
  return kept;
}

constexpr std::size_t kFewest = 3;  // below, a rank correlation says nothing

double rho(std::span<const double> a, std::span<const double> b) {
  const std::vector<Values> kept = complete({a, b});
  return kept[0].size() < kFewest ? kNaN : numeric::spearman(kept[0], kept[1]);
}

double partial_rho(std::span<const double> a, std::span<const double> b, std::span<const double> given) {
  const std::vector<Values> kept = complete({a, b, given});
  return kept[0].size() < kFewest ? kNaN : numeric::partial_spearman(kept[0], kept[1], kept[2]);
}

Values mean_residual(const StoredArray& array) {
  Values residual;
  for (std::size_t row = 0; row < array.y.size(); ++row) {
    double sum = 0;
    for (const Values& predicted : array.seeds) sum += predicted[row];
    residual.push_back(array.y[row] - sum / static_cast<double>(array.seeds.size()));
  }
  return residual;
}

CellCountAudit::Group score_group(const std::string& name, const StoredTest& test,
                                  const std::vector<std::int64_t>& rows) {
  CellCountAudit::Group group{name, static_cast<std::int64_t>(rows.size()), {}, kNaN, kNaN, kNaN};
  const StoredTest part = select_rows(test, rows);
  for (const char* predictor_name : kCascadePredictors) group.r2[predictor_name] = kNaN;
  if (numeric::is_constant(part.y)) return group;
  const std::vector<PredictorScores> scores = score_stored(part);
  for (const PredictorSummary& each : summarise(scores)) group.r2[each.name] = each.r2.mean;
  const Deltas deltas = make_deltas(scores);
  group.mb = deltas.mean_mb;
  group.mg = deltas.mean_mg;
  group.sm = deltas.mean_sm;
  return group;
}

// Low n < q1, middle q1 <= n < q2, high n >= q2: rows with equal n stay together.
void add_tertiles(CellCountAudit& audit, const StoredTest& test, const Values& n_test) {
  Values sorted = n_test;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t m = sorted.size();
  if (m == 0) return;
  audit.q1 = sorted[m / 3];
  audit.q2 = sorted[2 * m / 3];
  std::array<std::vector<std::int64_t>, 3> rows;
  for (std::size_t row = 0; row < m; ++row)
    rows[n_test[row] < audit.q1 ? 0 : n_test[row] < audit.q2 ? 1 : 2].push_back(static_cast<std::int64_t>(row));
  constexpr const char* kNames[] = {"low", "middle", "high"};
  for (std::size_t at = 0; at < rows.size(); ++at) audit.groups.push_back(score_group(kNames[at], test, rows[at]));
}

Values finite(std::span<const double> values) {
  Values kept;
  std::copy_if(values.begin(), values.end(), std::back_inserter(kept),
               [](double value) { return std::isfinite(value); });
  return kept;
}

}  // namespace

std::vector<double> row_norms(MatrixView<const double> matrix) {
  Values norms;
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    double squares = 0;
    for (const double value : matrix.row_span(row)) squares += value * value;
    norms.push_back(std::sqrt(squares));
  }
  return norms;
}

CellCountAudit audit_cell_count(const LabelVariants& labels, std::span<const std::int64_t> n_cells,
                                std::span<const double> x_norm, const StoredTest& test,
                                std::span<const std::int64_t> test_rows) {
  const Values n(n_cells.begin(), n_cells.end());
  CellCountAudit audit;
  audit.rows = static_cast<std::int64_t>(n.size());
  audit.rho = {{"n_y", rho(n, labels.y)},
               {"n_y_given_norm", partial_rho(n, labels.y, x_norm)},
               {"n_d15", rho(n, labels.d15)},
               {"n_d15_given_norm", partial_rho(n, labels.d15, x_norm)},
               {"n_y_equal", rho(n, labels.y_equal)},
               {"n_y_free", rho(n, labels.y_free)},
               {"y_y_equal", rho(labels.y, labels.y_equal)},
               {"y_y_free", rho(labels.y, labels.y_free)},
               {"y_equal_y_free", rho(labels.y_equal, labels.y_free)},
               {"y_d15", rho(labels.y, labels.d15)}};
  Values n_test, norm_test;
  for (const std::int64_t row : test_rows) {
    n_test.push_back(n[static_cast<std::size_t>(row)]);
    norm_test.push_back(x_norm[static_cast<std::size_t>(row)]);
  }
  if (n_test.size() != test.y.size()) throw InternalError("audits: the test rows are not those of the predictions");
  for (const StoredArray& array : test.arrays) {
    const Values residual = mean_residual(array);
    audit.residual[array.name] = {rho(n_test, residual), partial_rho(n_test, residual, norm_test)};
  }
  add_tertiles(audit, test, n_test);
  return audit;
}

NullRowAudit audit_null_rows(std::span<const double> y_matched, std::span<const double> y_ungrouped,
                             std::span<const std::int64_t> n_cells, std::span<const double> y_real,
                             std::uint32_t seed) {
  const Values n(n_cells.begin(), n_cells.end());
  const auto describe = [&](std::span<const double> y) -> NullRowAudit::Kind {
    const Values kept = finite(y);
    if (kept.empty()) return {kNaN, kNaN, kNaN};
    return {numeric::mean(kept), numeric::quantile(kept, 0.95), rho(n, y)};
  };
  NullRowAudit audit;
  audit.count = static_cast<std::int64_t>(n.size());
  audit.seed = seed;
  audit.matched = describe(y_matched);
  audit.ungrouped = describe(y_ungrouped);
  const std::vector<Values> both = complete({y_matched, y_ungrouped});
  Values differences;
  for (std::size_t row = 0; row < both[0].size(); ++row) differences.push_back(both[0][row] - both[1][row]);
  audit.batch_difference = differences.empty() ? kNaN : numeric::mean(differences);
  const Values real = finite(y_real);
  audit.real_rows = static_cast<std::int64_t>(real.size());
  const auto below = std::count_if(real.begin(), real.end(), [&](double y) { return y < audit.matched.q95; });
  audit.real_below_q95 = real.empty() || std::isnan(audit.matched.q95)
                             ? kNaN
                             : static_cast<double>(below) / static_cast<double>(real.size());
  return audit;
}

double Clipped::share() const { return rows == 0 ? kNaN : static_cast<double>(clipped) / static_cast<double>(rows); }

std::array<Clipped, 3> count_clipped(std::span<const double> y, const Split& split) {
  std::array<Clipped, 3> found{};
  for (std::size_t row = 0; row < y.size(); ++row) {
    if (std::isnan(y[row])) continue;
    Clipped& part = found[static_cast<std::size_t>(split.part[row])];
    ++part.rows;
    if (y[row] == 0) ++part.clipped;
  }
  return found;
}

}  // namespace scvet::trial
