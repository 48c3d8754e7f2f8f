#include "neighbour_search.h"

#include <gtest/gtest.h>

#include "graph_samples.h"
#include "scvet/base/parallel.h"

namespace scvet::graph {
namespace {

template <class T>
Frame frame_for(MatrixView<const T> queries, MatrixView<const T> references) {
  bool fits = false;
  const Frame frame = frame_of(queries, references, fits);
  EXPECT_TRUE(fits);
  return frame;
}

void expect_lists(const Neighbours& found, const Neighbours& expected, const std::string& what) {
  EXPECT_EQ(found.n_cells, expected.n_cells) << what;
  EXPECT_EQ(found.k, expected.k) << what;
  EXPECT_TRUE(found.cells == expected.cells) << what;
  EXPECT_TRUE(found.distances == expected.distances) << what;
}

// Every target, in pairs and a few queries at a time.
template <class T>
void expect_exact(MatrixView<const T> x, std::int64_t k, const std::string& what) {
  const Neighbours expected = naive_neighbours(x, x, k, true);
  const Frame frame = frame_for(x, x);
  set_workers(1);
  for (const SimdTarget target : available_simd_targets())
    for (const std::int64_t bytes : {kListBytes, std::int64_t{0}})
      expect_lists(filtered_search(x, x, frame, expected.k, true, target, bytes), expected,
                   what + ", " + simd_name(target) + (bytes == 0 ? ", by query" : ""));
  set_workers(0);
}

TEST(FilteredSearch, IsExactOnEveryTargetForSizesAboutThoseOfTheTiles) {
  for (const std::int64_t rows : {1, 2, 47, 48, 49, 97, 481, 700})
    for (const std::int64_t cols : {1, 3, 50}) {
      const auto x = points<float>(rows, cols, 31);
      expect_exact(x.view(), 15, std::to_string(rows) + " x " + std::to_string(cols));
    }
}

TEST(FilteredSearch, IsExactForEveryKUpToAllRows) {
  const auto x = points<float>(150, 7, 32);
  for (const std::int64_t k : {1, 2, 90, 149, 150}) expect_exact(x.view(), k, "k " + std::to_string(k));
}

TEST(FilteredSearch, IsExactInManyDimensions) {
  for (const std::int64_t cols : {512, 2000}) {
    const auto x = points<float>(260, cols, 33);
    expect_exact(x.view(), 30, std::to_string(cols));
  }
}

TEST(FilteredSearch, IsExactInFloat64BelowTheRoundingOfFloat32) {
  auto x = points<double>(400, 6, 34);
  for (double& value : x.values) value = 1 + 1e-9 * value;
  expect_exact(x.view(), 20, "offsets of 1e-9");
  auto y = points<double>(400, 6, 35);
  expect_exact(y.view(), 20, "plain");
}

// Distances within a group are far below the filter's error: only exact distances can tell candidates apart.
TEST(FilteredSearch, IsExactWhereGroupsAreTightAndFarApart) {
  auto x = points<float>(900, 5, 36, 1);
  for (std::int64_t row = 0; row < x.rows; ++row)
    for (std::int64_t col = 0; col < x.cols; ++col)
      x.at(row, col) = static_cast<float>(row % 3) * 1000 + 1e-3f * x.at(row, col);
  expect_exact(x.view(), 10, "tight groups");
}

TEST(FilteredSearch, IsExactWithOneRowFarFromAllOthers) {
  auto x = points<float>(500, 8, 37);
  for (std::int64_t col = 0; col < x.cols; ++col) x.at(123, col) = 1e6f;
  expect_exact(x.view(), 25, "outlier");
}

TEST(FilteredSearch, OrdersTheManyTiesOfALatticeByIndex) {
  Points<float> x{729, 6, {}};
  for (int row = 0; row < 729; ++row)
    for (int col = 0, rest = row; col < 6; ++col, rest /= 3) x.values.push_back(static_cast<float>(rest % 3));
  for (const std::int64_t k : {2, 10, 60}) expect_exact(x.view(), k, "lattice");
}

TEST(FilteredSearch, IsExactWhereAllRowsAreEquallyFarApart) {
  Points<float> x{200, 200, std::vector<float>(40'000, 0.f)};
  for (std::int64_t row = 0; row < 200; ++row) x.at(row, row) = 1;
  expect_exact(x.view(), 12, "corners of a simplex");
}

TEST(FilteredSearch, IsExactAtTheEndsOfTheFloatRange) {
  for (const float scale : {1e-42f, 1e-30f, 1e30f, 1e37f}) {
    auto x = points<float>(200, 4, 38);
    for (float& value : x.values) value *= scale;
    expect_exact(x.view(), 9, std::to_string(scale));
  }
}

TEST(FilteredSearch, IsExactForReferencesOfOtherRowsWithStrides) {
  const auto queries = points<float>(130, 20, 39), references = points<float>(333, 20, 40);
  const MatrixView<const float> q(queries.values.data(), 130, 11, 20), r(references.values.data(), 333, 11, 20);
  const Neighbours expected = naive_neighbours(q, r, 17, false);
  for (const int workers : {1, 3}) {
    set_workers(workers);
    for (const SimdTarget target : available_simd_targets())
      expect_lists(filtered_search(q, r, frame_for(q, r), 17, false, target), expected, simd_name(target));
  }
  set_workers(0);
}

}  // namespace
}  // namespace scvet::graph
