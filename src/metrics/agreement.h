// Agreement of the labels with a clustering, from one table of counts (natural logarithms).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scvet/metrics/metric.h"

namespace scvet::metrics {

struct Contingency {
  std::int64_t n_cells = 0;
  std::int64_t n_clusters = 0;
  std::vector<std::int64_t> cells;     // of label and cluster: cells[label * n_clusters + cluster]
  std::vector<std::int64_t> labels;    // row sums
  std::vector<std::int64_t> clusters;  // column sums
};

// Cluster codes are 0 or more and may leave gaps.
Contingency contingency(const Groups& labels, std::span<const std::int32_t> clusters);

// Of at least one cell; without a cell all are NaN.
double nmi(const Contingency& table);              // 2 MI / (H(labels) + H(clusters)); 1 where both have one group
double homogeneity(const Contingency& table);      // MI / H(labels); 1 where H(labels) = 0
double completeness(const Contingency& table);     // MI / H(clusters); 1 where H(clusters) = 0
double fowlkes_mallows(const Contingency& table);  // 0 where no pair is together in both
double adjusted_rand(const Contingency& table);    // 1 where no pair is together in one only

// What the five metrics do with their input.
MetricValue agreement(const MetricInput& input, double (*score)(const Contingency& table));

}  // namespace scvet::metrics
