#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "agreement.h"
#include "scvet/metrics/clusters.h"

namespace scvet::metrics {
namespace {

constexpr int kRuns = 30;  // 0.1, 0.2, .., 3.0
constexpr double kLast = 3.0, kBeyondStep = 0.5, kEnd = 6.0;

bool reaches(const std::vector<graph::Partition>& runs, std::int32_t n_labels) {
  return std::any_of(runs.begin(), runs.end(), [&](const auto& run) { return run.n_clusters >= n_labels; });
}

std::vector<graph::Partition> scan(const graph::WeightedGraph& graph, std::int32_t n_labels, bool beyond,
                                   const graph::LeidenOptions& options) {
  std::vector<double> resolutions;
  for (int run = 1; run <= kRuns; ++run) resolutions.push_back(run / 10.0);
  std::vector<graph::Partition> runs = graph::leiden(graph, resolutions, options);
  for (double resolution = kLast; beyond && resolution < kEnd && !reaches(runs, n_labels);) {
    resolution += kBeyondStep;
    runs.push_back(graph::leiden(graph, std::span(&resolution, 1), options).front());
  }
  return runs;
}

}  // namespace

Clustering leiden_scan(const graph::WeightedGraph& graph, const Groups& labels, LeidenSelection selection,
                       const graph::LeidenOptions& options) {
  const bool match = selection == LeidenSelection::kMatchLabels;
  Clustering found;
  found.scanned = scan(graph, labels.size(), match, options);
  const graph::Partition* best = nullptr;
  std::int32_t best_distance = 0;
  double best_nmi = 0;
  for (const graph::Partition& run : found.scanned) {
    const std::int32_t distance = match ? std::abs(run.n_clusters - labels.size()) : 0;
    const double score = nmi(contingency(labels, run.cluster));
    if (best && (distance > best_distance || (distance == best_distance && !(score > best_nmi)))) continue;
    best = &run;
    best_distance = distance;
    best_nmi = score;
  }
  found.cluster = best->cluster;
  found.n_clusters = best->n_clusters;
  found.note = fmt::format(
      "clustering=leiden;selection={};resolution={:.1f};n_clusters={};target_n_labels={};scan_n={}",
      match ? "match_n_labels" : "best_nmi", best->resolution, best->n_clusters, labels.size(), found.scanned.size());
  return found;
}

}  // namespace scvet::metrics
