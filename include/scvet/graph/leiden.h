// Leiden communities (Traag et al. 2019, doi:10.1038/s41598-019-41695-z) by igraph.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scvet/graph/fuzzy_graph.h"

namespace scvet::graph {

struct LeidenOptions {
  int iterations = 2;
  double beta = 0.01;      // randomness of the refinement
  std::uint64_t seed = 0;  // each resolution starts from it anew
};

struct Partition {
  double resolution = 0;
  std::int32_t n_clusters = 0;
  std::vector<std::int32_t> cluster;  // of each cell, numbered by size (largest first), then by first cell
  double modularity = 0;              // weighted, at this resolution; NaN without edges
};

// One partition a resolution, each from singletons; resolutions are shared among worker processes. The result does not
// depend on their number.
std::vector<Partition> leiden(const WeightedGraph& graph, std::span<const double> resolutions,
                              const LeidenOptions& options = {});

// Weighted modularity at a resolution (igraph's; -inf to 1, NaN without edges) of clusters numbered from 0: sum over
// clusters of inside / S - resolution * (strength / S)^2, S the strength of all cells, edges counted in both directions.
double modularity(const WeightedGraph& graph, std::span<const std::int32_t> cluster, double resolution);

}  // namespace scvet::graph
