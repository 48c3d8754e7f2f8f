#include "scvet/graph/components.h"

#include <algorithm>

#include "scvet/base/error.h"

namespace scvet::graph {

std::vector<std::int32_t> connected_components(const WeightedGraph& graph) {
  std::vector<std::int32_t> component(static_cast<std::size_t>(graph.n_cells), -1);
  std::vector<std::uint32_t> waiting;
  std::int32_t n_components = 0;
  for (std::size_t first = 0; first < component.size(); ++first) {
    if (component[first] >= 0) continue;
    component[first] = n_components;
    waiting.push_back(static_cast<std::uint32_t>(first));
    while (!waiting.empty()) {
      const std::uint32_t cell = waiting.back();
      waiting.pop_back();
      for (std::int64_t at = graph.indptr[cell]; at < graph.indptr[cell + 1]; ++at) {
        const std::uint32_t other = graph.cells[static_cast<std::size_t>(at)];
        if (component[other] >= 0) continue;
        component[other] = n_components;
        waiting.push_back(other);
      }
    }
    ++n_components;
  }
  return component;
}

// Tarjan 1972 (doi:10.1137/0201010) with a stack of its own: lists can chain through every cell.
std::int64_t largest_strong_component(const Neighbours& neighbours, std::int64_t k,
                                      std::span<const std::int64_t> cells) {
  if (k < 1 || k > neighbours.k) throw InternalError("largest_strong_component: k is not within the lists");
  constexpr std::int64_t kOutside = -1, kUnseen = 0;
  std::vector<std::int64_t> order(static_cast<std::size_t>(neighbours.n_cells), kOutside), lowest(order.size());
  std::vector<char> open(order.size(), 0);
  for (const std::int64_t cell : cells) order[static_cast<std::size_t>(cell)] = kUnseen;

  struct Visit {
    std::size_t cell;
    std::int64_t next;  // entry of its list to follow
  };
  std::vector<Visit> visits;
  std::vector<std::size_t> stack;
  std::int64_t seen = 0, largest = 0;
  const auto enter = [&](std::size_t cell) {
    order[cell] = lowest[cell] = ++seen;
    open[cell] = 1;
    stack.push_back(cell);
    visits.push_back({cell, 0});
  };
  const auto leave = [&](std::size_t cell) {
    if (lowest[cell] == order[cell]) {
      std::int64_t size = 0;
      for (bool more = true; more; ++size) {
        more = stack.back() != cell;
        open[stack.back()] = 0;
        stack.pop_back();
      }
      largest = std::max(largest, size);
    }
    visits.pop_back();
    if (!visits.empty()) lowest[visits.back().cell] = std::min(lowest[visits.back().cell], lowest[cell]);
  };
  for (const std::int64_t first : cells) {
    if (order[static_cast<std::size_t>(first)] != kUnseen) continue;
    enter(static_cast<std::size_t>(first));
    while (!visits.empty()) {
      const std::size_t cell = visits.back().cell;
      if (visits.back().next == k) {
        leave(cell);
        continue;
      }
      const std::size_t other =
          neighbours.list(static_cast<std::int64_t>(cell))[static_cast<std::size_t>(visits.back().next++)];
      if (order[other] == kUnseen)
        enter(other);
      else if (open[other])
        lowest[cell] = std::min(lowest[cell], order[other]);
    }
  }
  return largest;
}

}  // namespace scvet::graph
