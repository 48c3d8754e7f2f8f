#include "scvet/metrics/clusters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "agreement.h"
#include "naive_lists.h"
#include "scvet/base/parallel.h"

namespace scvet::metrics {
namespace {

using ::testing::EndsWith;
using ::testing::StartsWith;

graph::WeightedGraph graph_of(MatrixView<const float> x) {
  return graph::fuzzy_graph(testing::naive_neighbours(x, 15), std::min<std::int64_t>(15, x.rows));
}

TEST(LeidenScan, SeparateGroupsAreFoundAndTheNoteSaysHow) {
  const testing::Cloud cloud(150, 6, 3, 12, 1);
  const Clustering found = leiden_scan(graph_of(cloud.x), cloud.labels, LeidenSelection::kMatchLabels);
  EXPECT_EQ(found.n_clusters, 3);
  EXPECT_EQ(adjusted_rand(contingency(cloud.labels, found.cluster)), 1);
  EXPECT_EQ(found.scanned.size(), 30u);
  EXPECT_THAT(found.note, StartsWith("clustering=leiden;selection=match_n_labels;resolution="));
  EXPECT_THAT(found.note, EndsWith(";n_clusters=3;target_n_labels=3;scan_n=30"));
}

// The rule written down again, over what the scan says it ran.
TEST(LeidenScan, ChoosesTheNearestNumberThenTheBestNmiThenTheFirst) {
  const testing::Cloud cloud(200, 4, 4, 2.5, 2);
  for (const auto selection : {LeidenSelection::kMatchLabels, LeidenSelection::kBestNmi}) {
    const Clustering found = leiden_scan(graph_of(cloud.x), cloud.labels, selection);
    const auto distance = [&](const graph::Partition& run) {
      return selection == LeidenSelection::kMatchLabels ? std::abs(run.n_clusters - 4) : 0;
    };
    const auto score = [&](const graph::Partition& run) { return nmi(contingency(cloud.labels, run.cluster)); };
    const auto best = std::min_element(found.scanned.begin(), found.scanned.end(), [&](const auto& a, const auto& b) {
      return distance(a) != distance(b) ? distance(a) < distance(b) : score(a) > score(b);
    });
    EXPECT_EQ(found.cluster, best->cluster);
    EXPECT_EQ(found.n_clusters, best->n_clusters);
  }
}

TEST(LeidenScan, GoesBeyondThreeOnlyUntilEnoughClustersAndNeverForTheBestNmi) {
  const testing::Cloud cloud(60, 3, 3, 1, 3);
  std::vector<std::string> texts;
  for (int cell = 0; cell < 60; ++cell) texts.push_back(std::to_string(100 + cell / 2));
  const Groups many = make_groups(texts);  // 30 labels
  const auto graph = graph_of(cloud.x);
  const Clustering found = leiden_scan(graph, many, LeidenSelection::kMatchLabels);
  ASSERT_GT(found.scanned.size(), 30u);
  EXPECT_DOUBLE_EQ(found.scanned[30].resolution, 3.5);
  const auto reached = [](const graph::Partition& run) { return run.n_clusters >= 30; };
  EXPECT_TRUE(std::none_of(found.scanned.begin(), found.scanned.end() - 1, reached));
  EXPECT_TRUE(reached(found.scanned.back()) || found.scanned.back().resolution == 6.0);
  EXPECT_EQ(leiden_scan(graph, many, LeidenSelection::kBestNmi).scanned.size(), 30u);
}

TEST(LeidenScan, TheNumberOfWorkersChangesNothing) {
  const testing::Cloud cloud(200, 4, 4, 2.5, 4);
  const auto graph = graph_of(cloud.x);
  set_workers(1);
  const Clustering one = leiden_scan(graph, cloud.labels, LeidenSelection::kMatchLabels);
  set_workers(3);
  const Clustering three = leiden_scan(graph, cloud.labels, LeidenSelection::kMatchLabels);
  set_workers(0);
  EXPECT_EQ(one.cluster, three.cluster);
  EXPECT_EQ(one.note, three.note);
}

TEST(KMeansClusters, AsManyAsLabelsAndNoNote) {
  const testing::Cloud cloud(150, 6, 3, 12, 5);
  const Clustering found = kmeans_clusters(cloud.x, cloud.labels);
  EXPECT_EQ(found.n_clusters, 3);
  EXPECT_EQ(adjusted_rand(contingency(cloud.labels, found.cluster)), 1);
  EXPECT_GT(found.inertia, 0);
  EXPECT_EQ(found.note, "");
}

}  // namespace
}  // namespace scvet::metrics
