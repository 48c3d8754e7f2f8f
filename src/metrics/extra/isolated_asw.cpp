// Silhouettes of the labels that few batches have: do they stay apart from all others?
#include <cmath>
#include <limits>
#include <vector>

#include "batch_input.h"
#include "isolated_labels.h"
#include "label_values.h"
#include "scvet/metrics/silhouette.h"
#include "scvet/numeric/moments.h"

namespace scvet::metrics {
namespace {

MetricValue compute(const MetricInput& input) {
  if (const std::string undefined = batches_undefined(input); !undefined.empty()) return {.note = undefined};
  if (input.labels->size() < 2) return {.note = "insufficient_labels"};
  const std::vector<std::uint8_t> isolated = isolated_labels(input);
  std::vector<double> cells = silhouettes(input.x, *input.labels);
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    const bool counts = isolated[static_cast<std::size_t>(input.labels->of_cell[cell])] != 0;
    cells[cell] = counts ? (cells[cell] + 1) / 2 : std::numeric_limits<double>::quiet_NaN();
  }
  std::vector<double> of_label;
  for (const std::vector<double>& values : values_by_label(cells, *input.labels))
    of_label.push_back(numeric::mean(values));
  MetricValue made = mean_of_isolated(isolated, of_label);
  made.cells = std::move(cells);
  return made;
}

}  // namespace

extern const MetricRecord isolated_asw_metric = {
    .name = "isolated_asw",
    .label = "Silhouette of isolated labels, rescaled to [0, 1]",
    .source = "Luecken et al. 2022, doi:10.1038/s41592-021-01336-8",
    .group = "extra",
    .family = "",
    .order = 0,
    .least = 0,
    .most = 1,
    .chance = "At most 0.5: without information another label lies as near.",
    .undefined = "Fewer than two batches or labels.",
    .version = "1",
    .needs = kNeedsBatches,
    .compute = compute,
};

}  // namespace scvet::metrics
