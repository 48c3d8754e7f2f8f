#include "scvet/metrics/lisi.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "naive_lists.h"
#include "scvet/base/parallel.h"

namespace scvet::metrics {
namespace {

double entropy(const std::vector<double>& distances, double beta) {
  double sum = 0, spread = 0;
  for (const double d : distances) {
    sum += std::exp(-beta * d);
    spread += d * std::exp(-beta * d);
  }
  return std::log(sum) + beta * spread / sum;
}

// The solution of the entropy equation by plain bisection, which is what the search stops within 1e-5 of.
double naive_lisi(const graph::Neighbours& lists, const std::vector<std::int32_t>& groups, std::int64_t cell) {
  std::vector<double> distances;
  std::vector<std::int32_t> of;
  for (std::int64_t at = 0; at < lists.k; ++at)
    if (const auto other = lists.list(cell)[static_cast<std::size_t>(at)]; other != cell) {
      distances.push_back(lists.list_distances(cell)[static_cast<std::size_t>(at)]);
      of.push_back(groups[other]);
    }
  double low = 0, high = 1e6;
  for (int step = 0; step < 200; ++step)
    (entropy(distances, (low + high) / 2) > std::log(30.0) ? low : high) = (low + high) / 2;
  double sum = 0;
  std::vector<double> share(10);
  for (std::size_t at = 0; at < of.size(); ++at) {
    sum += std::exp(-low * distances[at]);
    share[static_cast<std::size_t>(of[at])] += std::exp(-low * distances[at]);
  }
  double simpson = 0;
  for (const double one : share) simpson += one / sum * (one / sum);
  return 1 / simpson;
}

TEST(Lisi, SolvesTheEntropyEquation) {
  const testing::Cloud cloud(400, 4, 3, 2, 1);
  const auto lists = testing::naive_neighbours(cloud.x, 90);
  const auto found = lisi(lists, cloud.labels.of_cell, 3);
  for (std::int64_t cell = 0; cell < 400; ++cell)
    ASSERT_NEAR(found[static_cast<std::size_t>(cell)], naive_lisi(lists, cloud.labels.of_cell, cell), 1e-4);
}

// Neighbours at one distance: the weights are equal, whatever beta is.
TEST(Lisi, EqualDistancesWorkedByHand) {
  graph::Neighbours lists;
  lists.n_cells = 5;
  lists.k = 5;
  for (std::uint32_t cell = 0; cell < 5; ++cell) {
    lists.cells.push_back(cell);
    lists.distances.push_back(0);
    for (std::uint32_t other = 0; other < 5; ++other)
      if (other != cell) {
        lists.cells.push_back(other);
        lists.distances.push_back(7000);  // exp(-7000) is 0
      }
  }
  const std::vector<std::int32_t> groups{0, 0, 0, 1, 2};
  const auto found = lisi(lists, groups, 3);
  EXPECT_DOUBLE_EQ(found[0], 1 / (0.25 + 0.0625 + 0.0625));  // neighbours: 0 0 1 2
  EXPECT_DOUBLE_EQ(found[3], 1 / (0.5625 + 0.0625));         // neighbours: 0 0 0 2
}

TEST(Lisi, TheCellItselfIsLeftOutByIndexAndNotByDistance) {
  graph::Neighbours lists;
  lists.n_cells = 3;
  lists.k = 3;
  lists.cells = {0, 1, 2, 1, 0, 2, 2, 0, 1};
  lists.distances = std::vector<double>(9, 0.0);
  const std::vector<std::int32_t> groups{0, 1, 1};
  EXPECT_DOUBLE_EQ(lisi(lists, groups, 2)[0], 1);  // neighbours: 1 1
  EXPECT_DOUBLE_EQ(lisi(lists, groups, 2)[1], 2);  // neighbours: 0 1
}

TEST(Lisi, ACellWithoutNeighboursIsUndefinedAndOneNeighbourIsOneGroup) {
  graph::Neighbours alone;
  alone.n_cells = alone.k = 1;
  alone.cells = {0};
  alone.distances = {0};
  EXPECT_TRUE(std::isnan(lisi(alone, std::vector<std::int32_t>{0}, 1)[0]));
  graph::Neighbours pair;
  pair.n_cells = pair.k = 2;
  pair.cells = {0, 1, 1, 0};
  pair.distances = {0, 3, 0, 3};
  EXPECT_EQ(lisi(pair, std::vector<std::int32_t>{0, 1}, 2), (std::vector<double>{1, 1}));
}

TEST(Lisi, TheNumberOfWorkersChangesNoByte) {
  const testing::Cloud cloud(700, 4, 3, 2, 2);
  const auto lists = testing::naive_neighbours(cloud.x, 60);
  set_workers(1);
  const auto one = lisi(lists, cloud.labels.of_cell, 3);
  set_workers(3);
  EXPECT_EQ(lisi(lists, cloud.labels.of_cell, 3), one);
  set_workers(0);
}

}  // namespace
}  // namespace scvet::metrics
