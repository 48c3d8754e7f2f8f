#include "scvet/graph/neighbours.h"

#include <gtest/gtest.h>

#include <limits>

#include "graph_samples.h"
#include "scvet/base/error.h"
#include "scvet/base/parallel.h"

namespace scvet::graph {
namespace {

void expect_same(const Neighbours& found, const Neighbours& expected, const std::string& what) {
  ASSERT_EQ(found.n_cells, expected.n_cells) << what;
  ASSERT_EQ(found.k, expected.k) << what;
  EXPECT_EQ(found.cells, expected.cells) << what;
  EXPECT_EQ(found.distances, expected.distances) << what;
}

TEST(ExactNeighbours, AreThoseOfANaiveLoopBitForBit) {
  set_workers(1);
  for (const std::int64_t rows : {1, 2, 7, 33, 300})
    for (const std::int64_t cols : {1, 2, 3, 17, 50})
      for (const std::int64_t k : {1, 5, 90}) {
        const auto x = points<float>(rows, cols, 1);
        const std::string what = std::to_string(rows) + " x " + std::to_string(cols) + ", k " + std::to_string(k);
        expect_same(exact_neighbours(x.view(), k), naive_neighbours(x.view(), x.view(), k, true), what);
        const auto y = points<double>(rows, cols, 2);
        expect_same(exact_neighbours(y.view(), k), naive_neighbours(y.view(), y.view(), k, true), what + " (double)");
      }
  set_workers(0);
}

TEST(ExactNeighbours, BeginWithTheCellItselfBeforeItsDuplicates) {
  auto x = points<float>(40, 6, 3);
  for (std::int64_t row = 20; row < 40; ++row)
    for (std::int64_t col = 0; col < 6; ++col) x.at(row, col) = x.at(row - 20, col);
  const Neighbours found = exact_neighbours(x.view(), 3);
  for (std::int64_t row = 0; row < 40; ++row) {
    EXPECT_EQ(found.list(row)[0], row);
    EXPECT_EQ(found.list(row)[1], (row + 20) % 40);
    EXPECT_EQ(found.list_distances(row)[0], 0);
    EXPECT_EQ(found.list_distances(row)[1], 0);
    EXPECT_GT(found.list_distances(row)[2], 0);
  }
}

TEST(ExactNeighbours, TiesGoToTheLowestIndex) {
  const Points<float> x{100, 5, std::vector<float>(500, 2.5f)};
  const Neighbours found = exact_neighbours(x.view(), 4);
  EXPECT_EQ(std::vector<std::uint32_t>(found.list(0).begin(), found.list(0).end()),
            (std::vector<std::uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(std::vector<std::uint32_t>(found.list(2).begin(), found.list(2).end()),
            (std::vector<std::uint32_t>{2, 0, 1, 3}));
  EXPECT_EQ(std::vector<std::uint32_t>(found.list(99).begin(), found.list(99).end()),
            (std::vector<std::uint32_t>{99, 0, 1, 2}));
}

// Copies of rows, among them rows that tie with others: no more distinct rows than k, and many more.
TEST(ExactNeighbours, AreExactAmongManyDuplicates) {
  for (const std::int64_t distinct : {1, 3, 40, 200}) {
    auto x = points<float>(300, 3, 8);
    for (std::int64_t row = 0; row < x.rows; ++row)
      for (std::int64_t col = 0; col < 3; ++col) x.at(row, col) = std::round(x.at((row * row) % distinct, col));
    x.at(7, 0) = -0.f;
    x.at(8, 0) = 0.f;
    for (const std::int64_t k : {1, 4, 60, 300}) {
      const std::string what = std::to_string(distinct) + " distinct, k " + std::to_string(k);
      expect_same(exact_neighbours(x.view(), k), naive_neighbours(x.view(), x.view(), k, true), what);
      const auto queries = points<float>(20, 3, 9);
      expect_same(nearest_references(queries.view(), x.view(), k), naive_neighbours(queries.view(), x.view(), k, false),
                  what + " (references)");
    }
  }
}

TEST(ExactNeighbours, AreThoseOfTheFormulaWhereSquaresLeaveTheRangeOfFloat64) {
  for (const double scale : {1e-200, 1e-160, 1e160, 1e200}) {
    auto x = points<double>(60, 3, 10);
    for (double& value : x.values) value *= scale;
    expect_same(exact_neighbours(x.view(), 9), naive_neighbours(x.view(), x.view(), 9, true), std::to_string(scale));
  }
}

TEST(ExactNeighbours, RefuseValuesThatAreNotFiniteAndTakeNoRows) {
  auto x = points<float>(10, 3, 4);
  x.at(6, 1) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(exact_neighbours(x.view(), 3), InternalError);
  EXPECT_EQ(exact_neighbours(MatrixView<const float>(x.values.data(), 0, 3), 3).n_cells, 0);
  EXPECT_EQ(exact_neighbours(MatrixView<const float>(x.values.data(), 4, 0), 2).cells,
            (std::vector<std::uint32_t>{0, 1, 1, 0, 2, 0, 3, 0}));  // no columns: all equal
}

TEST(ExactNeighbours, DoNotDependOnTheWorkers) {
  const auto x = points<float>(1500, 12, 5);
  set_workers(1);
  const Neighbours one = exact_neighbours(x.view(), 20);
  for (const int workers : {2, 3}) {
    set_workers(workers);
    expect_same(exact_neighbours(x.view(), 20), one, std::to_string(workers) + " workers");
  }
  set_workers(0);
}

TEST(NearestReferences, AreThoseOfANaiveLoopBitForBit) {
  for (const std::int64_t rows : {1, 40, 257}) {
    const auto queries = points<float>(61, 9, 6), references = points<float>(rows, 9, 7);
    expect_same(nearest_references(queries.view(), references.view(), 12),
                naive_neighbours(queries.view(), references.view(), 12, false), std::to_string(rows));
  }
}

TEST(NearestReferences, RefuseUnequalColumnsAndNoReferencesButTakeNoQueries) {
  const auto queries = points<float>(4, 9, 6), references = points<float>(4, 8, 7);
  EXPECT_EQ(nearest_references({queries.values.data(), 0, 9}, queries.view(), 3).n_cells, 0);
  EXPECT_THROW(nearest_references(queries.view(), references.view(), 1), InternalError);
  EXPECT_THROW(nearest_references(queries.view(), {references.values.data(), 0, 9}, 1), InternalError);
}

}  // namespace
}  // namespace scvet::graph
