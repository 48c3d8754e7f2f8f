#include <algorithm>

#include "scvet/base/parallel.h"
#include "scvet/graph/components.h"
#include "scvet/metrics/metric.h"

namespace scvet::metrics {
namespace {

constexpr std::int64_t kEntries = 15;  // of each list, the cell itself among them

MetricValue compute(const MetricInput& input) {
  const auto members = input.labels->members();
  if (members.empty()) return {.note = "insufficient_cells"};
  MetricValue found;
  found.labels.resize(members.size());
  parallel_for(std::ssize(members), [&](std::int64_t label, int) {
    const std::vector<std::int64_t>& cells = members[static_cast<std::size_t>(label)];
    const auto largest =
        graph::largest_strong_component(*input.neighbours, std::min(kEntries, input.neighbours->k), cells);
    found.labels[static_cast<std::size_t>(label)] = {
        static_cast<std::int32_t>(label), static_cast<double>(largest) / static_cast<double>(cells.size()), ""};
  });
  double sum = 0;
  for (const LabelValue& label : found.labels) sum += label.value;
  found.value = sum / static_cast<double>(members.size());
  return found;
}

}  // namespace

extern const MetricRecord gc_metric = {
    .name = "GC",
    .label = "Graph connectivity of the labels: largest strong component of the directed graph of 15 entries",
    .source = "Luecken et al. 2022, doi:10.1038/s41592-021-01336-8; directed and strong, as scib-metrics 0.5.10",
    .group = "bio_conservation",
    .family = "neighbourhood",
    .order = 8,
    .least = 0,
    .most = 1,
    .chance =
        "No fixed number: a label of share p keeps about 14 p links a cell, so common labels hang together and rare "
        "ones fall apart.",
    .undefined = "Never, given a cell.",
    .version = "1",
    .needs = kNeedsNeighbours,
    .compute = compute,
};

}  // namespace scvet::metrics
