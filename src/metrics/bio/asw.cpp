#include "label_values.h"
#include "scvet/metrics/silhouette.h"
#include "scvet/numeric/moments.h"

namespace scvet::metrics {
namespace {

MetricValue compute(const MetricInput& input) {
  if (input.labels->size() < 2 || input.x.rows <= input.labels->size()) return {.note = "insufficient_labels_or_cells"};
  MetricValue found;
  found.cells = silhouettes(input.x, *input.labels);
  found.value = numeric::mean(found.cells);
  found.labels = label_values(found.cells, *input.labels, numeric::mean, "no_cells");
  return found;
}

}  // namespace

extern const MetricRecord asw_metric = {
    .name = "ASW",
    .label = "Average silhouette width of the labels, Euclidean, not rescaled",
    .source = "Rousseeuw 1987, doi:10.1016/0377-0427(87)90125-7",
    .group = "bio_conservation",
    .family = "separation",
    .order = 5,
    .least = -1,
    .most = 1,
    .chance = "Near 0, and below it: the nearest of the other labels is compared.",
    .undefined = "Fewer than two labels, or no more cells than labels.",
    .version = "1",
    .needs = 0,
    .compute = compute,
};

}  // namespace scvet::metrics
