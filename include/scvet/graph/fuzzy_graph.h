// The fuzzy neighbour graph of UMAP (McInnes et al. 2018, arXiv:1802.03426), as the peers build it.
#pragma once

#include <cstdint>
#include <vector>

#include "scvet/graph/neighbours.h"

namespace scvet::graph {

// Symmetric, no edge from a cell to itself; neighbours ascend within a row.
struct WeightedGraph {
  std::int64_t n_cells = 0;
  std::vector<std::int64_t> indptr = {0};
  std::vector<std::uint32_t> cells;
  std::vector<float> weights;  // in (0, 1]
};

// From the first k entries (self included) of each list, distances in float32; W = A + A' - A o A'.
WeightedGraph fuzzy_graph(const Neighbours& neighbours, std::int64_t k);

// The graph among these cells (ascending), renumbered in their order.
WeightedGraph induced_subgraph(const WeightedGraph& graph, std::span<const std::int64_t> cells);

}  // namespace scvet::graph
