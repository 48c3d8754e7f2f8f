// Labels that few batches have.
#pragma once

#include <cstdint>
#include <vector>

#include "scvet/metrics/metric.h"

namespace scvet::metrics {

// 1 for each label that occurs in the smallest number of batches that any label occurs in. Every label may.
std::vector<std::uint8_t> isolated_labels(const MetricInput& input);

// One value a label: NaN with `not_isolated` for the others. The metric's value is the mean of the isolated ones.
MetricValue mean_of_isolated(const std::vector<std::uint8_t>& isolated, const std::vector<double>& of_label);

}  // namespace scvet::metrics
