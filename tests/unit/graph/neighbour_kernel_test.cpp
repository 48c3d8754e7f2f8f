#include "neighbour_kernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "graph_samples.h"
#include "packed_rows.h"

namespace scvet::graph {
namespace {

constexpr float kNever = std::numeric_limits<float>::infinity();

struct Side {
  std::vector<float> threshold = std::vector<float>(48, kNever), half = std::vector<float>(48, 0.f),
                     scale = std::vector<float>(48, 0.f);
  TileSide view() const { return {threshold.data(), half.data(), scale.data()}; }
};

TEST(NeighbourKernel, ProductsAreWithinTheirBoundOnEveryTarget) {
  for (const SimdTarget target : available_simd_targets())
    for (const std::int64_t depth : {1, 2, 7, 50, 513, 2000}) {
      const NeighbourKernel& kernel = neighbour_kernel(target);
      const auto left = points<float>(depth, kernel.rows, 41), panel = points<float>(depth, kernel.cols, 42);
      Side row, col;
      row.threshold.assign(48, std::numeric_limits<float>::lowest());
      float products[NeighbourKernel::kMaxRows * NeighbourKernel::kMaxCols];
      std::uint64_t hits[NeighbourKernel::kMaxRows];
      ASSERT_TRUE(kernel.tile(depth, left.values.data(), panel.values.data(), row.view(), col.view(), products, hits));
      for (int r = 0; r < kernel.rows; ++r)
        for (int c = 0; c < kernel.cols; ++c) {
          double sum = 0, left_square = 0, right_square = 0;
          for (std::int64_t k = 0; k < depth; ++k) {
            const auto a = static_cast<double>(left.values[static_cast<std::size_t>(k * kernel.rows + r)]);
            const auto b = static_cast<double>(panel.values[static_cast<std::size_t>(k * kernel.cols + c)]);
            sum += a * b;
            left_square += a * a;
            right_square += b * b;
          }
          EXPECT_EQ(hits[r] >> c & 1, 1u);
          EXPECT_LE(std::abs(static_cast<double>(products[r * kernel.cols + c]) - sum),
                    product_bound(depth) * std::sqrt(left_square * right_square))
              << simd_name(target) << ", depth " << depth;
        }
    }
}

TEST(NeighbourKernel, PassesWhatReachesTheThresholdOfItsRowOrColumn) {
  for (const SimdTarget target : available_simd_targets()) {
    const NeighbourKernel& kernel = neighbour_kernel(target);
    const std::vector<float> left(static_cast<std::size_t>(kernel.rows), 1.f);
    std::vector<float> panel(static_cast<std::size_t>(kernel.cols), 0.f);
    for (int c = 0; c < kernel.cols; ++c) panel[static_cast<std::size_t>(c)] = static_cast<float>(c);  // the products
    Side row, col;
    float products[NeighbourKernel::kMaxRows * NeighbourKernel::kMaxCols];
    std::uint64_t hits[NeighbourKernel::kMaxRows];
    const auto run = [&] { return kernel.tile(1, left.data(), panel.data(), row.view(), col.view(), products, hits); };
    EXPECT_FALSE(run());

    row.threshold[1] = static_cast<float>(kernel.cols - 2);  // row 1: the last two columns
    EXPECT_TRUE(run());
    const std::uint64_t last_two = std::uint64_t{3} << (kernel.cols - 2);
    for (int r = 0; r < kernel.rows; ++r) EXPECT_EQ(hits[r], r == 1 ? last_two : 0u);
    col.half[static_cast<std::size_t>(kernel.cols - 1)] = 1;  // the last column: reaches 1 more
    EXPECT_TRUE(run());
    EXPECT_EQ(hits[1], last_two);
    row.scale[1] = 1, col.scale[static_cast<std::size_t>(kernel.cols - 3)] = 1;  // one more by slack x norm
    EXPECT_TRUE(run());
    EXPECT_EQ(hits[1], std::uint64_t{7} << (kernel.cols - 3));

    row = Side(), col = Side();
    col.threshold[2] = 3, row.half[0] = -1;  // column 2 has product 2: row 0 alone
    EXPECT_TRUE(run());
    for (int r = 0; r < kernel.rows; ++r) EXPECT_EQ(hits[r], r == 0 ? 4u : 0u);
  }
}

template <class T>
void expect_exact_distances() {
  for (const SimdTarget target : available_simd_targets())
    for (const std::int64_t cols : {1, 3, 4, 5, 50, 131})
      for (const std::int64_t count : {1, 2, 15, 16, 17, 40}) {
        const auto x = points<T>(64, cols, 43);
        std::vector<std::uint32_t> cells;
        for (std::int64_t at = 0; at < count; ++at) cells.push_back(static_cast<std::uint32_t>(7 * at % 64));
        std::vector<double> distances(static_cast<std::size_t>(count));
        neighbour_kernel(target).exact(x.view().row(5), x.view(), cells.data(), count, distances.data());
        for (std::size_t at = 0; at < cells.size(); ++at) {
          double sum = 0;
          for (std::int64_t col = 0; col < cols; ++col) {
            const double difference =
                static_cast<double>(x.view()(5, col)) - static_cast<double>(x.view()(cells[at], col));
            sum += difference * difference;
          }
          EXPECT_EQ(distances[at], std::sqrt(sum)) << simd_name(target) << ", " << cols << ", " << count;
        }
      }
}

TEST(ExactDistances, HaveTheSameBitsOnEveryTarget) {
  expect_exact_distances<float>();
  expect_exact_distances<double>();
}

}  // namespace
}  // namespace scvet::graph
