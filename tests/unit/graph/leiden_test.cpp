#include "scvet/graph/leiden.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "graph_samples.h"
#include "scvet/base/parallel.h"

namespace scvet::graph {
namespace {

const std::vector<double> kScan{.1, .5, 1, 1.5, 2, 3};

// `n_groups` cliques of `size` cells with weight 1; each cell also has a weak edge to the same cell of the next group.
WeightedGraph planted(std::int64_t n_groups, std::int64_t size) {
  WeightedGraph graph;
  graph.n_cells = n_groups * size;
  for (std::int64_t cell = 0; cell < graph.n_cells; ++cell) {
    for (std::int64_t other = 0; other < graph.n_cells; ++other) {
      const bool together = cell / size == other / size;
      const std::int64_t apart = std::abs(cell - other);
      if (cell == other || !(together || apart == size || apart == graph.n_cells - size)) continue;
      graph.cells.push_back(static_cast<std::uint32_t>(other));
      graph.weights.push_back(together ? 1.f : .25f);
    }
    graph.indptr.push_back(static_cast<std::int64_t>(graph.cells.size()));
  }
  return graph;
}

// Over all pairs: sum of (w_ij - r s_i s_j / S) / S where i and j share a cluster.
double naive_modularity(const WeightedGraph& graph, const Partition& partition) {
  const auto n = static_cast<std::size_t>(graph.n_cells);
  std::vector<double> strength(n, 0);
  double total = 0, sum = 0;
  for (std::size_t row = 0; row < n; ++row)
    for (auto at = static_cast<std::size_t>(graph.indptr[row]); at < static_cast<std::size_t>(graph.indptr[row + 1]);
         ++at) {
      strength[row] += static_cast<double>(graph.weights[at]);
      total += static_cast<double>(graph.weights[at]);
      if (partition.cluster[row] == partition.cluster[graph.cells[at]]) sum += static_cast<double>(graph.weights[at]);
    }
  for (std::size_t row = 0; row < n; ++row)
    for (std::size_t col = 0; col < n; ++col)
      if (partition.cluster[row] == partition.cluster[col])
        sum -= partition.resolution * strength[row] * strength[col] / total;
  return sum / total;
}

WeightedGraph sample_graph() {
  const auto x = points<float>(600, 5, 21, 7);
  return fuzzy_graph(exact_neighbours(x.view(), 15), 15);
}

TEST(Leiden, FindsPlantedGroups) {
  const WeightedGraph graph = planted(6, 20);
  for (const Partition& partition : leiden(graph, std::vector<double>{.5, 1, 2})) {
    EXPECT_EQ(partition.n_clusters, 6) << partition.resolution;
    for (std::int64_t cell = 0; cell < graph.n_cells; ++cell)
      EXPECT_EQ(partition.cluster[static_cast<std::size_t>(cell)], cell / 20) << partition.resolution;
  }
}

TEST(Leiden, DoesNotDependOnTheWorkersNorOnWhichResolutionsRun) {
  const WeightedGraph graph = sample_graph();
  set_workers(1);
  const std::vector<Partition> one = leiden(graph, kScan);
  for (const int workers : {2, 3}) {
    set_workers(workers);
    const std::vector<Partition> many = leiden(graph, kScan);
    ASSERT_EQ(many.size(), one.size());
    for (std::size_t at = 0; at < one.size(); ++at) {
      EXPECT_EQ(many[at].resolution, kScan[at]);
      EXPECT_EQ(many[at].cluster, one[at].cluster) << workers << " workers, resolution " << kScan[at];
      EXPECT_EQ(many[at].modularity, one[at].modularity);
      EXPECT_EQ(leiden(graph, {&kScan[at], 1})[0].cluster, one[at].cluster);
    }
  }
  set_workers(0);
}

TEST(Leiden, OfAnotherSeedIsAnotherPartition) {
  const WeightedGraph graph = sample_graph();
  LeidenOptions options;
  const std::vector<Partition> first = leiden(graph, kScan, options);
  options.seed = 1;
  const std::vector<Partition> second = leiden(graph, kScan, options);
  bool differ = false;
  for (std::size_t at = 0; at < kScan.size(); ++at) {
    differ = differ || first[at].cluster != second[at].cluster;
    EXPECT_NEAR(first[at].modularity, second[at].modularity, .02);
  }
  EXPECT_TRUE(differ);
}

TEST(Leiden, NumbersClustersBySizeThenFirstCellAndReportsTheirModularity) {
  const WeightedGraph graph = sample_graph();
  std::int32_t before = 0;
  for (const Partition& partition : leiden(graph, kScan)) {
    std::map<std::int32_t, std::pair<std::int64_t, std::int64_t>> groups;  // number -> -size, first cell
    for (std::size_t cell = 0; cell < partition.cluster.size(); ++cell) {
      auto& [size, first] =
          groups.try_emplace(partition.cluster[cell], 0, static_cast<std::int64_t>(cell)).first->second;
      --size;
    }
    ASSERT_EQ(groups.size(), static_cast<std::size_t>(partition.n_clusters));
    EXPECT_EQ(groups.begin()->first, 0);
    EXPECT_EQ(groups.rbegin()->first, partition.n_clusters - 1);
    for (std::int32_t number = 1; number < partition.n_clusters; ++number)
      EXPECT_LT(groups[number - 1], groups[number]);
    EXPECT_NEAR(partition.modularity, naive_modularity(graph, partition), 1e-12);
    EXPECT_GE(partition.n_clusters, before);
    before = partition.n_clusters;
  }
}

TEST(Leiden, OfAGraphWithoutEdgesHasACellACluster) {
  WeightedGraph graph;
  graph.n_cells = 3;
  graph.indptr = {0, 0, 0, 0};
  const Partition partition = leiden(graph, std::vector<double>{1})[0];
  EXPECT_EQ(partition.cluster, (std::vector<std::int32_t>{0, 1, 2}));
  EXPECT_EQ(partition.n_clusters, 3);
  EXPECT_TRUE(std::isnan(partition.modularity));
  EXPECT_TRUE(leiden(graph, {}).empty());
}

}  // namespace
}  // namespace scvet::graph
