#include "batch_input.h"

#include <cmath>

namespace scvet::metrics {

std::string batches_undefined(const MetricInput& input) {
  if (input.x.rows < 2) return "insufficient_cells";
  if (input.batches == nullptr || input.batches->size() < 2) return "insufficient_batches";
  return "";
}

std::vector<LabelBatches> batches_of_labels(const MetricInput& input) {
  std::vector<LabelBatches> labels;
  for (std::vector<std::int64_t>& cells : input.labels->members()) {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(input.batches->size()), 0);
    const auto batch_of = [&](std::int64_t cell) {
      return static_cast<std::size_t>(input.batches->of_cell[static_cast<std::size_t>(cell)]);
    };
    for (const std::int64_t cell : cells) ++counts[batch_of(cell)];
    LabelBatches label;
    std::vector<std::int32_t> number(counts.size(), -1);
    for (std::size_t batch = 0; batch < counts.size(); ++batch) {
      if (counts[batch] == 0) continue;
      number[batch] = label.n_batches();
      label.batch_cells.push_back(counts[batch]);
    }
    for (const std::int64_t cell : cells) label.batch.push_back(number[batch_of(cell)]);
    label.cells = std::move(cells);
    labels.push_back(std::move(label));
  }
  return labels;
}

MetricValue mean_of_labels(std::vector<LabelValue> labels) {
  MetricValue made;
  double sum = 0;
  std::int64_t n_defined = 0;
  for (const LabelValue& label : labels) {
    if (std::isnan(label.value)) continue;
    sum += label.value;
    ++n_defined;
  }
  if (n_defined > 0) made.value = sum / static_cast<double>(n_defined);
  made.labels = std::move(labels);
  return made;
}

}  // namespace scvet::metrics
