// Cluster labels for the agreement metrics: the Leiden scan and K-means.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scvet/base/matrix_view.h"
#include "scvet/data/groups.h"
#include "scvet/graph/fuzzy_graph.h"
#include "scvet/graph/leiden.h"

namespace scvet::metrics {

enum class LeidenSelection { kMatchLabels, kBestNmi };

struct Clustering {
  std::vector<std::int32_t> cluster;  // of each cell
  std::int32_t n_clusters = 0;
  std::string note;                       // clustering=leiden;selection=...;resolution=...
  double inertia = 0;                     // K-means only
  std::vector<graph::Partition> scanned;  // Leiden only: every run of the scan
};

// `graph`: the fuzzy graph of 15 entries a cell.
Clustering leiden_scan(const graph::WeightedGraph& graph, const Groups& labels, LeidenSelection selection,
                       const graph::LeidenOptions& options = {});
// k = number of labels; greedy k-means++, Lloyd, 10 restarts, the lowest inertia.
Clustering kmeans_clusters(MatrixView<const float> x, const Groups& labels, std::uint64_t seed = 1);

}  // namespace scvet::metrics
