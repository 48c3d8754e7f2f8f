#include <cmath>

#include "label_values.h"
#include "scvet/metrics/lisi.h"
#include "scvet/numeric/order_statistics.h"

namespace scvet::metrics {
namespace {

// (L - LISI) / (L - 1) falls with LISI, so the median of the cells' scores is the score of the median.
MetricValue compute(const MetricInput& input) {
  const std::int32_t n_labels = input.labels->size();
  if (n_labels < 2) return {.note = "insufficient_labels"};
  MetricValue found;
  std::vector<double> scored;
  for (const double value : lisi(*input.neighbours, input.labels->of_cell, n_labels)) {
    found.cells.push_back((n_labels - value) / (n_labels - 1));
    if (!std::isnan(value)) scored.push_back(found.cells.back());
  }
  if (scored.empty()) return {.note = "insufficient_cells"};
  found.value = numeric::median(scored);
  found.labels = label_values(found.cells, *input.labels, numeric::median, "no_cells");
  return found;
}

}  // namespace

extern const MetricRecord clisi_metric = {
    .name = "cLISI",
    .label = "Cell-type LISI, scaled so that 1 is one label in every neighbourhood",
    .source = "Korsunsky et al. 2019, doi:10.1038/s41592-019-0619-0",
    .group = "bio_conservation",
    .family = "separation",
    .order = 6,
    .least = 0,
    .most = 1,
    .chance =
        "(L - 1 / q) / (L - 1) with q = s + (1 - s) / 25 about, s the sum of the labels' squared shares: neighbours "
        "weigh as about 25, so by luck alone they seem less mixed than all cells are.",
    .undefined = "Fewer than two labels.",
    .version = "1",
    .needs = kNeedsNeighbours,
    .compute = compute,
};

}  // namespace scvet::metrics
