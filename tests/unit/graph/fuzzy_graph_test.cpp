#include "scvet/graph/fuzzy_graph.h"

#include <gtest/gtest.h>

#include <cmath>

#include "graph_samples.h"
#include "scvet/base/error.h"
#include "scvet/base/parallel.h"

namespace scvet::graph {
namespace {

using Dense = std::vector<std::vector<double>>;

// Section 6.3 word for word, in float64, on a dense matrix.
Dense naive_graph(const Neighbours& lists, std::size_t k) {
  const auto n = static_cast<std::size_t>(lists.n_cells);
  Dense a(n, std::vector<double>(n, 0)), w = a;
  double mean_of_all = 0;
  for (std::size_t row = 0; row < n; ++row)
    for (std::size_t at = 0; at < k; ++at)
      mean_of_all += lists.list_distances(static_cast<std::int64_t>(row))[at] / static_cast<double>(n * k);
  for (std::size_t row = 0; row < n; ++row) {
    const auto d = lists.list_distances(static_cast<std::int64_t>(row)).first(k);
    double rho = 0, mean = 0;
    for (const double distance : d) mean += distance / static_cast<double>(k);
    for (std::size_t at = k; at-- > 0;)
      if (d[at] > 0) rho = d[at];
    const auto sum = [&](double sigma) {
      double total = 0;
      for (std::size_t at = 1; at < k; ++at) total += std::exp(-std::max(d[at] - rho, 0.) / sigma);
      return total;
    };
    double low = 0, high = 0, sigma = 1;
    for (int step = 0; step < 64 && std::abs(sum(sigma) - std::log2(k)) >= 1e-5; ++step) {
      (sum(sigma) > std::log2(k) ? high : low) = sigma;
      sigma = high > 0 ? (low + high) / 2 : 2 * sigma;
    }
    sigma = std::max(sigma, 1e-3 * (rho > 0 ? mean : mean_of_all));
    for (std::size_t at = 0; at < k; ++at)
      if (const std::size_t cell = lists.list(static_cast<std::int64_t>(row))[at]; cell != row)
        a[row][cell] = d[at] <= rho || sigma == 0 ? 1 : std::exp(-(d[at] - rho) / sigma);
  }
  for (std::size_t row = 0; row < n; ++row)
    for (std::size_t col = 0; col < n; ++col) w[row][col] = a[row][col] + a[col][row] - a[row][col] * a[col][row];
  return w;
}

Dense dense(const WeightedGraph& graph) {
  const auto n = static_cast<std::size_t>(graph.n_cells);
  Dense w(n, std::vector<double>(n, 0));
  for (std::size_t row = 0; row < n; ++row)
    for (auto at = static_cast<std::size_t>(graph.indptr[row]); at < static_cast<std::size_t>(graph.indptr[row + 1]);
         ++at)
      w[row][graph.cells[at]] = static_cast<double>(graph.weights[at]);
  return w;
}

void expect_near(const Dense& found, const Dense& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t row = 0; row < found.size(); ++row)
    for (std::size_t col = 0; col < found.size(); ++col)
      ASSERT_NEAR(found[row][col], expected[row][col], tolerance) << row << ", " << col;
}

TEST(FuzzyGraph, IsTheOneOfTheDefinition) {
  for (const std::int64_t k : {2, 5, 15, 50}) {
    const auto x = points<float>(300, 8, 11);
    const Neighbours lists = exact_neighbours(x.view(), 50);
    expect_near(dense(fuzzy_graph(lists, k)), naive_graph(lists, static_cast<std::size_t>(k)), 2e-5);
  }
}

TEST(FuzzyGraph, IsSymmetricWithoutLoopsAndItsWeightsAreIn01) {
  const auto x = points<float>(500, 3, 12);
  const WeightedGraph graph = fuzzy_graph(exact_neighbours(x.view(), 15), 15);
  const Dense w = dense(graph);
  for (std::size_t row = 0; row < w.size(); ++row) {
    EXPECT_EQ(w[row][row], 0);
    for (std::size_t col = 0; col < w.size(); ++col) EXPECT_EQ(w[row][col], w[col][row]);
    for (auto at = static_cast<std::size_t>(graph.indptr[row]); at < static_cast<std::size_t>(graph.indptr[row + 1]);
         ++at) {
      EXPECT_GT(graph.weights[at], 0);
      EXPECT_LE(graph.weights[at], 1);
      if (at > static_cast<std::size_t>(graph.indptr[row])) {
        EXPECT_LT(graph.cells[at - 1], graph.cells[at]);
      }
    }
  }
}

TEST(FuzzyGraph, DuplicatesAndTheFirstNeighbourApartHaveWeightOne) {
  auto x = points<float>(60, 4, 13);
  for (std::int64_t col = 0; col < 4; ++col) x.at(1, col) = x.at(0, col);
  const Neighbours lists = exact_neighbours(x.view(), 10);
  const Dense w = dense(fuzzy_graph(lists, 10));
  EXPECT_EQ(w[0][1], 1);
  for (std::int64_t row = 2; row < 60; ++row)
    EXPECT_NEAR(w[static_cast<std::size_t>(row)][lists.list(row)[1]], 1, 2e-7);
}

TEST(FuzzyGraph, OfEqualCellsHasWeightOneEverywhere) {
  const Points<float> x{30, 2, std::vector<float>(60, 1.f)};
  const WeightedGraph graph = fuzzy_graph(exact_neighbours(x.view(), 15), 15);
  EXPECT_GT(graph.weights.size(), 0u);
  for (const float weight : graph.weights) EXPECT_EQ(weight, 1);
}

TEST(FuzzyGraph, OfOneCellHasNoEdge) {
  const Points<float> x{1, 2, {3, 4}};
  const WeightedGraph graph = fuzzy_graph(exact_neighbours(x.view(), 15), 1);
  EXPECT_EQ(graph.n_cells, 1);
  EXPECT_EQ(graph.indptr, (std::vector<std::int64_t>{0, 0}));
}

TEST(FuzzyGraph, DoesNotDependOnTheWorkersAndRefusesMoreThanTheLists) {
  const auto x = points<float>(3000, 5, 14);
  const Neighbours lists = exact_neighbours(x.view(), 15);
  set_workers(1);
  const WeightedGraph one = fuzzy_graph(lists, 15);
  set_workers(3);
  const WeightedGraph three = fuzzy_graph(lists, 15);
  set_workers(0);
  EXPECT_EQ(one.indptr, three.indptr);
  EXPECT_EQ(one.cells, three.cells);
  EXPECT_EQ(one.weights, three.weights);
  EXPECT_THROW(fuzzy_graph(lists, 16), InternalError);
}

TEST(InducedSubgraph, KeepsTheEdgesAmongItsCells) {
  const auto x = points<float>(80, 3, 15);
  const WeightedGraph graph = fuzzy_graph(exact_neighbours(x.view(), 15), 15);
  std::vector<std::int64_t> cells;
  for (std::int64_t cell = 1; cell < 80; cell += 3) cells.push_back(cell);
  const Dense whole = dense(graph), part = dense(induced_subgraph(graph, cells));
  ASSERT_EQ(part.size(), cells.size());
  for (std::size_t row = 0; row < part.size(); ++row)
    for (std::size_t col = 0; col < part.size(); ++col)
      EXPECT_EQ(part[row][col], whole[static_cast<std::size_t>(cells[row])][static_cast<std::size_t>(cells[col])]);
}

}  // namespace
}  // namespace scvet::graph
