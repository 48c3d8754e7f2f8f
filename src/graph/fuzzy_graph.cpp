#include "scvet/graph/fuzzy_graph.h"

namespace scvet::graph {

WeightedGraph induced_subgraph(const WeightedGraph& graph, std::span<const std::int64_t> cells) {
  constexpr std::uint32_t kOutside = 0xFFFFFFFFu;
  std::vector<std::uint32_t> number(static_cast<std::size_t>(graph.n_cells), kOutside);
  for (std::size_t at = 0; at < cells.size(); ++at)
    number[static_cast<std::size_t>(cells[at])] = static_cast<std::uint32_t>(at);
  WeightedGraph part;
  part.n_cells = static_cast<std::int64_t>(cells.size());
  for (const std::int64_t cell : cells) {
    const auto from = static_cast<std::size_t>(graph.indptr[static_cast<std::size_t>(cell)]);
    const auto to = static_cast<std::size_t>(graph.indptr[static_cast<std::size_t>(cell) + 1]);
    for (std::size_t at = from; at < to; ++at)
      if (const std::uint32_t other = number[graph.cells[at]]; other != kOutside) {
        part.cells.push_back(other);
        part.weights.push_back(graph.weights[at]);
      }
    part.indptr.push_back(static_cast<std::int64_t>(part.cells.size()));
  }
  return part;
}

}  // namespace scvet::graph
