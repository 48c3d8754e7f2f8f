// Principal component regression: how much of the variance that batches explain in the principal components of the counts
// is gone?
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "batch_input.h"

namespace scvet::metrics {
namespace {

// Share of the variance that batches explain. Over all principal components j it is sum R2_j s_j^2 / sum s_j^2, and with
// R2_j = between_j / total_j and total_j proportional to s_j^2 the sums run over between_j and total_j: a rotation changes
// neither, so no component has to be found. NaN where all rows are equal.
double explained(MatrixView<const float> x, const Groups& batches) {
  const auto n_dims = static_cast<std::size_t>(x.cols);
  std::vector<double> mean(n_dims, 0.0);
  for (std::int64_t cell = 0; cell < x.rows; ++cell)
    for (std::size_t dim = 0; dim < n_dims; ++dim) mean[dim] += static_cast<double>(x.row(cell)[dim]);
  for (double& value : mean) value /= static_cast<double>(x.rows);

  double total = 0, between = 0;
  for (const std::vector<std::int64_t>& cells : batches.members()) {
    std::vector<double> shift(n_dims, 0.0);
    for (const std::int64_t cell : cells)
      for (std::size_t dim = 0; dim < n_dims; ++dim) {
        const double centred = static_cast<double>(x.row(cell)[dim]) - mean[dim];
        shift[dim] += centred;
        total += centred * centred;
      }
    for (const double sum : shift) between += sum * sum / static_cast<double>(cells.size());
  }
  return between / total;
}

MetricValue compute(const MetricInput& input) {
  if (const std::string undefined = batches_undefined(input); !undefined.empty()) return {.note = undefined};
  if (input.pca.rows != input.x.rows) return {.note = "no_pca_of_these_cells"};
  const double pre = explained(input.pca, *input.batches), post = explained(input.x, *input.batches);
  MetricValue made;
  made.note = fmt::format("pcr={};pcr_pre={}", post, pre);
  if (pre > 0 && !std::isnan(post)) made.value = std::max(0.0, (pre - post) / pre);
  return made;
}

}  // namespace

extern const MetricRecord pcr_metric = {
    .name = "pcr_comparison",
    .label = "Batch variance removed, beside the pca of the same cells",
    .source = "Luecken et al. 2022, doi:10.1038/s41592-021-01336-8",
    .group = "extra",
    .family = "",
    .order = 2,
    .least = 0,
    .most = 1,
    .chance = "Near 1: without information batches explain (batches - 1) / (cells - 1) of the variance.",
    .undefined = "Fewer than two batches; all rows equal; batches explain nothing in the pca.",
    .version = "1",
    .needs = kNeedsBatches | kNeedsPca,
    .compute = compute,
};

}  // namespace scvet::metrics
