// iLISI: how many batches does a cell meet among its neighbours?
#include <cmath>
#include <vector>

#include "batch_input.h"
#include "label_values.h"
#include "scvet/metrics/lisi.h"
#include "scvet/numeric/order_statistics.h"

namespace scvet::metrics {
namespace {

MetricValue compute(const MetricInput& input) {
  MetricValue made;
  made.note = batches_undefined(input);
  if (!made.note.empty()) return made;
  const std::int32_t n_batches = input.batches->size();
  std::vector<double> defined;
  for (const double batches : lisi(*input.neighbours, input.batches->of_cell, n_batches)) {
    made.cells.push_back((batches - 1) / (n_batches - 1));
    if (!std::isnan(batches)) defined.push_back(made.cells.back());
  }
  made.value = numeric::median(defined);
  if (defined.empty()) made.note = "insufficient_cells";
  made.labels = label_values(made.cells, *input.labels, numeric::median, "no_cells");
  return made;
}

}  // namespace

extern const MetricRecord ilisi_metric = {
    .name = "iLISI",
    .label = "Integration LISI, scaled (median over cells)",
    .source = "Korsunsky et al. 2019, doi:10.1038/s41592-019-0619-0",
    .group = "batch_mixing",
    .family = "batch mixing",
    .order = 2,
    .least = 0,
    .most = 1,
    .chance =
        "A little below (1 / sum of p^2 - 1) / (B - 1) of the batches' shares p, which is 1 for batches of equal size.",
    .undefined = "Fewer than two batches.",
    .version = "1",
    .needs = kNeedsBatches | kNeedsNeighbours,
    .compute = compute};

}  // namespace scvet::metrics
