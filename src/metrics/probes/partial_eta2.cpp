// Share of a dimension's variance that cell type explains beyond batch, and batch beyond cell type: least squares on
// 1 + cell type + batch, averaged over dimensions.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "scvet/base/parallel.h"
#include "scvet/metrics/geometry.h"
#include "scvet/numeric/pivoted_qr.h"

namespace scvet::metrics {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Cells of one label and batch share their row of the design, so that least squares needs their number and mean alone:
// residuals are those of the means, weighted, plus what is left inside the combinations.
struct Combinations {
  std::int64_t n_cells = 0, n_dims = 0;
  Groups labels, batches;                                   // of the labelled cells
  std::vector<std::pair<std::int32_t, std::int32_t>> keys;  // label and batch
  std::vector<double> sizes;
  std::vector<double> means;   // combinations x dimensions, each row times the root of its size
  std::vector<double> inside;  // sum of squares around the means, one a dimension
  std::vector<double> total;   // around the mean of all, one a dimension
};

void sum_columns(MatrixView<const float> x, const std::vector<std::int64_t>& cells,
                 const std::vector<std::size_t>& of_cell, std::int64_t col, Combinations& made) {
  const auto at_col = static_cast<std::size_t>(col), n_dims = static_cast<std::size_t>(made.n_dims);
  std::vector<double> means(made.sizes.size(), 0.0);
  double mean = 0;
  for (std::size_t at = 0; at < cells.size(); ++at) means[of_cell[at]] += double{x(cells[at], col)};
  for (const double sum : means) mean += sum;
  mean /= static_cast<double>(cells.size());
  for (std::size_t group = 0; group < means.size(); ++group) means[group] /= made.sizes[group];
  for (std::size_t at = 0; at < cells.size(); ++at) {
    const double value = double{x(cells[at], col)};
    made.inside[at_col] += (value - means[of_cell[at]]) * (value - means[of_cell[at]]);
    made.total[at_col] += (value - mean) * (value - mean);
  }
  for (std::size_t group = 0; group < means.size(); ++group)
    made.means[group * n_dims + at_col] = means[group] * std::sqrt(made.sizes[group]);
}

Combinations combine(const GeometryInput& input, const std::vector<std::int64_t>& cells) {
  Combinations made;
  made.n_cells = std::ssize(cells);
  made.n_dims = input.standard.cols;
  made.labels = select_groups(*input.labels, cells);
  if (input.batches)
    made.batches = select_groups(*input.batches, cells);
  else
    made.batches = {{"batch0"}, std::vector<std::int32_t>(cells.size(), 0)};
  std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> number;
  std::vector<std::size_t> of_cell;
  for (std::size_t at = 0; at < cells.size(); ++at) {
    const std::pair key(made.labels.of_cell[at], made.batches.of_cell[at]);
    const auto [place, is_new] = number.emplace(key, made.keys.size());
    if (is_new) {
      made.keys.push_back(key);
      made.sizes.push_back(0);
    }
    ++made.sizes[place->second];
    of_cell.push_back(place->second);
  }
  made.means.resize(made.keys.size() * static_cast<std::size_t>(made.n_dims));
  made.inside.resize(static_cast<std::size_t>(made.n_dims));
  made.total.resize(static_cast<std::size_t>(made.n_dims));
  parallel_for(made.n_dims, [&](std::int64_t col, int) { sum_columns(input.standard, cells, of_cell, col, made); });
  return made;
}

struct Fit {
  std::int64_t rank = 0;
  std::vector<double> residuals;  // sum of squares of the means, one a dimension
};

// On 1, the labels but the first, the batches but the first; either may be left out.
Fit fit(const Combinations& groups, bool with_labels, bool with_batches) {
  const std::int64_t n_labels = with_labels ? groups.labels.size() - 1 : 0;
  const std::int64_t n_batches = with_batches ? groups.batches.size() - 1 : 0;
  const auto n_rows = std::ssize(groups.keys), n_cols = 1 + n_labels + n_batches;
  std::vector<double> design(static_cast<std::size_t>(n_rows * n_cols), 0.0);
  const MatrixView<double> rows(design.data(), n_rows, n_cols);
  for (std::int64_t row = 0; row < n_rows; ++row) {
    const double weight = std::sqrt(groups.sizes[static_cast<std::size_t>(row)]);
    const auto [label, batch] = groups.keys[static_cast<std::size_t>(row)];
    rows(row, 0) = weight;
    if (with_labels && label > 0) rows(row, label) = weight;
    if (with_batches && batch > 0) rows(row, n_labels + batch) = weight;
  }
  const double tolerance =
      static_cast<double>(std::max(groups.n_cells, n_cols)) * std::numeric_limits<double>::epsilon();
  const numeric::PivotedQr qr(rows, tolerance);
  return {qr.rank(), qr.residual_squares({groups.means.data(), n_rows, groups.n_dims})};
}

// Mean over dimensions of SS_effect / (SS_effect + SSE of the full model).
double mean_share(const Combinations& groups, const Fit& full, const Fit& without) {
  constexpr double kLeast = 1e-12, kRounding = 1e-8;
  double sum = 0;
  std::int64_t count = 0;
  for (std::size_t col = 0; col < groups.total.size(); ++col) {
    if (!(groups.total[col] > kLeast)) continue;
    double effect = without.residuals[col] - full.residuals[col];
    if (effect < 0 && effect >= -kRounding * std::max(1.0, groups.total[col])) effect = 0;
    const double denominator = effect + full.residuals[col] + groups.inside[col];
    if (!(denominator > kLeast)) continue;
    sum += effect / denominator;
    ++count;
  }
  return count == 0 ? kNaN : sum / static_cast<double>(count);
}

ProbeOutput unmeasured(const std::string& status) { return {{kNaN, kNaN, std::int64_t{0}, status}, ""}; }

ProbeOutput compute(const GeometryInput& input) {
  constexpr std::size_t kFewestCells = 10;
  if (!input.labels) return unmeasured("missing_cell_type");
  std::vector<std::int64_t> cells;
  for (std::size_t cell = 0; cell < input.labels->of_cell.size(); ++cell)
    if (input.labels->of_cell[cell] >= 0) cells.push_back(static_cast<std::int64_t>(cell));
  if (cells.size() < kFewestCells) return unmeasured("insufficient_labeled_cells");
  const Combinations groups = combine(input, cells);
  const Fit full = fit(groups, true, true);
  if (full.rank >= groups.n_cells) return unmeasured("no_residual_df");

  bool aliased = false;
  const auto effect = [&](std::int64_t levels, const Fit& without) {
    if (levels < 2) return kNaN;
    const std::int64_t estimable = full.rank - without.rank;
    aliased = aliased || estimable < levels - 1;
    return estimable == 0 ? kNaN : mean_share(groups, full, without);
  };
  const double of_labels = effect(groups.labels.size(), fit(groups, false, true));
  const double of_batches = effect(groups.batches.size(), fit(groups, true, false));
  const auto n_dims =
      std::count_if(groups.total.begin(), groups.total.end(), [](double total) { return total > 1e-12; });
  const std::string status =
      "n_labeled=" + std::to_string(groups.n_cells) + ";n_celltypes=" + std::to_string(groups.labels.size()) +
      ";n_batches=" + std::to_string(groups.batches.size()) + (aliased ? ";partially_aliased_effects" : "") +
      (input.batches ? "" : ";batch_effect_not_available");
  return {{of_labels, of_batches, std::int64_t{n_dims}, status}, ""};
}

constexpr const char* kColumns[] = {"partial_eta2_celltype", "partial_eta2_batch", "partial_eta2_n_dims",
                                    "partial_eta2_status"};

}  // namespace

extern const ProbeRecord partial_eta2_probe = {
    .name = "partial_eta2",
    .label = "partial eta squared of cell type and batch",
    .columns = kColumns,
    .source = "Cohen 1973, doi:10.1177/001316447303300111",
    .meaning =
        "share of what the other effect leaves over that cell type (batch) explains, mean over the standardised "
        "dimensions: cell type high and batch low is what an integrated embedding should show",
    .range = "0 to 1",
    .undefined = "no labels, fewer than 10 labelled cells, a single level, or an effect that the other one contains",
    .version = "1",
    .order = 5,
    .note_order = 5,
    .optional = false,
    .compute = compute};

}  // namespace scvet::metrics
