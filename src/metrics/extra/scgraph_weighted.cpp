// scGraph, near labels counting most.
#include <cmath>
#include <limits>
#include <vector>

#include "scgraph.h"

namespace scvet::metrics {
namespace {

double weighted_mean(std::span<const double> values, const std::vector<double>& weights) {
  double sum = 0, all = 0;
  for (std::size_t at = 0; at < values.size(); ++at) {
    sum += weights[at] * values[at];
    all += weights[at];
  }
  return sum / all;
}

// Pearson's with weights 1 / consensus, 0 for a label's distance to itself.
double weighted_pearson(std::span<const double> embedding, std::span<const double> consensus) {
  std::vector<double> weights;
  for (const double distance : consensus) weights.push_back(distance > 0 ? 1 / distance : 0);
  const double x_mean = weighted_mean(embedding, weights), y_mean = weighted_mean(consensus, weights);
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t at = 0; at < weights.size(); ++at) {
    const double x = embedding[at] - x_mean, y = consensus[at] - y_mean;
    xy += weights[at] * x * y;
    xx += weights[at] * x * x;
    yy += weights[at] * y * y;
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : std::numeric_limits<double>::quiet_NaN();
}

MetricValue compute(const MetricInput& input) { return scgraph_agreement(input, weighted_pearson); }

}  // namespace

extern const MetricRecord scgraph_weighted_metric = {
    .name = "scgraph_weighted",
    .label = "scGraph: Pearson's correlation weighted by the inverse distance inside batches",
    .source = "Wang et al. 2025, doi:10.1038/s41587-025-02702-z",
    .group = "extra",
    .family = "",
    .order = 5,
    .least = -1,
    .most = 1,
    .chance = "Near 0.",
    .undefined = "Fewer than two batches, or than three labels of 10 cells in batches of 100 cells.",
    .version = "1",
    .needs = kNeedsBatches | kNeedsCounts,
    .compute = compute,
};

}  // namespace scvet::metrics
