// CiLISI: how many batches does a cell meet among its neighbours within its own label?
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "batch_input.h"
#include "scvet/graph/neighbours.h"
#include "scvet/metrics/lisi.h"

namespace scvet::metrics {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kFewestCells = 10, kPerplexity = 30;

// Scores of the label's cells, in [0, 1].
std::vector<double> label_scores(MatrixView<const float> x, const LabelBatches& label) {
  std::vector<float> rows;
  rows.reserve(label.cells.size() * static_cast<std::size_t>(x.cols));
  for (const std::int64_t cell : label.cells) rows.insert(rows.end(), x.row(cell), x.row(cell) + x.cols);
  const std::int64_t others = label.n_cells() - 1;
  const std::int64_t perplexity = std::min(kPerplexity, others);
  const graph::Neighbours neighbours = graph::exact_neighbours(
      MatrixView<const float>(rows.data(), label.n_cells(), x.cols), std::min(3 * perplexity, others));
  std::vector<double> scores = lisi(neighbours, label.batch, label.n_batches(), static_cast<double>(perplexity));
  for (double& score : scores) score = std::clamp((score - 1) / (label.n_batches() - 1), 0.0, 1.0);
  return scores;
}

MetricValue compute(const MetricInput& input) {
  MetricValue made;
  made.note = batches_undefined(input);
  if (!made.note.empty()) return made;
  made.cells.assign(static_cast<std::size_t>(input.x.rows), kNaN);
  double sum = 0, n_scored = 0;
  for (const LabelBatches& label : batches_of_labels(input)) {
    LabelValue value{static_cast<std::int32_t>(made.labels.size()), kNaN, ""};
    if (label.n_cells() < kFewestCells) {
      value.note = "fewer_than_10_cells";
    } else if (label.n_batches() < 2) {
      value.note = "single_batch";
    } else {
      const std::vector<double> scores = label_scores(input.x, label);
      double of_label = 0;
      for (std::size_t at = 0; at < scores.size(); ++at) {
        made.cells[static_cast<std::size_t>(label.cells[at])] = scores[at];
        of_label += scores[at];
      }
      value.value = of_label / static_cast<double>(scores.size());
      sum += of_label;
      n_scored += static_cast<double>(scores.size());
    }
    made.labels.push_back(std::move(value));
  }
  if (n_scored > 0)
    made.value = sum / n_scored;
  else
    made.note = "no_label_with_10_cells_in_two_batches";
  return made;
}

}  // namespace

extern const MetricRecord cilisi_metric = {
    .name = "CiLISI",
    .label = "Integration LISI within labels, scaled by the batches of each (mean over cells)",
    .source = "Andreatta et al. 2024, doi:10.1038/s41467-024-45240-z",
    .group = "batch_mixing",
    .family = "batch mixing",
    .order = 3,
    .least = 0,
    .most = 1,
    .chance =
        "A little below (1 / sum of p^2 - 1) / (B - 1) of the batches' shares p within the label, 1 for equal sizes.",
    .undefined = "Fewer than two batches; no label with 10 cells in two batches.",
    .version = "1",
    .needs = kNeedsBatches,
    .compute = compute};

}  // namespace scvet::metrics
