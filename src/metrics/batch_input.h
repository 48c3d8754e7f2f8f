// What the batch metrics share: when the group is undefined, and the cells of a label by batch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scvet/metrics/metric.h"

namespace scvet::metrics {

// Why no batch metric exists on this input: insufficient_cells (fewer than two), insufficient_batches (one, or no batch
// column); "" where they do.
std::string batches_undefined(const MetricInput& input);

// The cells of one label, and which of the batches that occur in it each belongs to.
struct LabelBatches {
  std::vector<std::int64_t> cells;        // ascending
  std::vector<std::int32_t> batch;        // of each of these cells, from 0 in the order of the batches' names
  std::vector<std::int64_t> batch_cells;  // cells of each batch in the label, at least one

  std::int64_t n_cells() const { return static_cast<std::int64_t>(cells.size()); }
  std::int32_t n_batches() const { return static_cast<std::int32_t>(batch_cells.size()); }
};

// One a label. Needs labels and batches without missing values.
std::vector<LabelBatches> batches_of_labels(const MetricInput& input);

// Value: the unweighted mean of the labels that have one (NaN when none has).
MetricValue mean_of_labels(std::vector<LabelValue> labels);

}  // namespace scvet::metrics
