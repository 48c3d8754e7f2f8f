#include "scvet/graph/components.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "graph_samples.h"
#include "scvet/base/error.h"

namespace scvet::graph {
namespace {

// reach[a * n + b]: whether b can be reached from a (Warshall).
std::vector<char> reach(std::size_t n, std::vector<char> edges) {
  for (std::size_t via = 0; via < n; ++via)
    for (std::size_t from = 0; from < n; ++from)
      if (edges[from * n + via])
        for (std::size_t to = 0; to < n; ++to) edges[from * n + to] |= edges[via * n + to];
  return edges;
}

// Lists of random cells: components of every shape.
Neighbours random_lists(std::int64_t n, std::int64_t k, std::uint64_t seed) {
  Neighbours lists{n, k, {}, {}};
  Stream random(seed);
  for (std::int64_t row = 0; row < n; ++row)
    for (std::int64_t at = 0; at < k; ++at)
      lists.cells.push_back(at == 0 ? static_cast<std::uint32_t>(row)
                                    : static_cast<std::uint32_t>(random.below(static_cast<std::uint64_t>(n))));
  lists.distances.resize(lists.cells.size());
  return lists;
}

TEST(LargestStrongComponent, IsTheOneOfTheDefinition) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const std::int64_t n = 40, k = 2 + static_cast<std::int64_t>(seed % 2);
    const Neighbours lists = random_lists(n, 4, seed);
    std::vector<std::int64_t> cells;
    for (std::int64_t cell = 0; cell < n; ++cell)
      if ((seed + static_cast<std::uint64_t>(cell)) % 5 != 0) cells.push_back(cell);
    const std::size_t m = cells.size();
    std::vector<char> edges(m * m, 0);
    for (std::size_t a = 0; a < m; ++a)
      for (std::size_t b = 0; b < m; ++b)
        for (std::int64_t at = 0; at < k; ++at)
          edges[a * m + b] |= lists.list(cells[a])[static_cast<std::size_t>(at)] == cells[b];
    edges = reach(m, edges);
    std::int64_t largest = 0;
    for (std::size_t a = 0; a < m; ++a) {
      std::int64_t size = 0;
      for (std::size_t b = 0; b < m; ++b) size += a == b || (edges[a * m + b] && edges[b * m + a]);
      largest = std::max(largest, size);
    }
    EXPECT_EQ(largest_strong_component(lists, k, cells), largest) << "seed " << seed;
  }
}

TEST(LargestStrongComponent, FollowsARingOfManyCellsWithoutRecursion) {
  const std::int64_t n = 300'000;
  Neighbours ring{n, 2, {}, std::vector<double>(static_cast<std::size_t>(2 * n))};
  for (std::int64_t cell = 0; cell < n; ++cell) {
    ring.cells.push_back(static_cast<std::uint32_t>(cell));
    ring.cells.push_back(static_cast<std::uint32_t>((cell + 1) % n));
  }
  std::vector<std::int64_t> cells(static_cast<std::size_t>(n));
  std::iota(cells.begin(), cells.end(), 0);
  EXPECT_EQ(largest_strong_component(ring, 2, cells), n);
  EXPECT_EQ(largest_strong_component(ring, 1, cells), 1);
  cells.pop_back();  // the ring is open now
  EXPECT_EQ(largest_strong_component(ring, 2, cells), 1);
}

TEST(LargestStrongComponent, OfNoCellsIsZeroAndOfOneCellOne) {
  const Neighbours lists = random_lists(10, 3, 1);
  EXPECT_EQ(largest_strong_component(lists, 3, {}), 0);
  EXPECT_EQ(largest_strong_component(lists, 3, std::vector<std::int64_t>{4}), 1);
  EXPECT_THROW(largest_strong_component(lists, 4, {}), InternalError);
}

TEST(ConnectedComponents, AreThoseOfTheDefinitionInTheOrderOfTheirFirstCell) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const std::size_t n = 50;
    Stream random(seed);
    std::vector<char> edges(n * n, 0);
    for (std::size_t edge = 0; edge < 10 + seed; ++edge) {
      const std::size_t a = random.below(n), b = random.below(n);
      if (a != b) edges[a * n + b] = edges[b * n + a] = 1;
    }
    WeightedGraph graph;
    graph.n_cells = n;
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < n; ++b)
        if (edges[a * n + b]) graph.cells.push_back(static_cast<std::uint32_t>(b));
      graph.indptr.push_back(static_cast<std::int64_t>(graph.cells.size()));
    }
    graph.weights.assign(graph.cells.size(), 1.f);
    const auto component = connected_components(graph);
    edges = reach(n, edges);
    std::int32_t next = 0;
    for (std::size_t a = 0; a < n; ++a) {
      std::size_t first = 0;
      while (first != a && !edges[a * n + first]) ++first;
      EXPECT_EQ(component[a], first == a ? next : component[first]) << "seed " << seed << ", cell " << a;
      next += first == a;
    }
  }
}

}  // namespace
}  // namespace scvet::graph
