// Connected parts of graphs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scvet/graph/fuzzy_graph.h"

namespace scvet::graph {

// Component of each cell, numbered from 0 in the order of their first cell.
std::vector<std::int32_t> connected_components(const WeightedGraph& graph);

// Size of the largest strongly connected component of the directed graph of the first k entries of each list, among
// `cells` (ascending) only.
std::int64_t largest_strong_component(const Neighbours& neighbours, std::int64_t k,
                                      std::span<const std::int64_t> cells);

}  // namespace scvet::graph
