#include "scvet/numeric/squared_distances.h"

#include <gtest/gtest.h>

#include <vector>

#include "distance_kernel.h"
#include "scvet/base/random.h"

namespace scvet::numeric {
namespace {

std::vector<float> random_rows(std::int64_t n, std::int64_t d, std::uint64_t seed) {
  Stream stream(seed);
  std::vector<float> x(static_cast<std::size_t>(n * d));
  for (float& value : x) value = static_cast<float>(stream.unit() - .5);
  return x;
}

double naive(MatrixView<const float> a, std::int64_t i, MatrixView<const float> b, std::int64_t j) {
  double sum = 0;
  for (std::int64_t k = 0; k < a.cols; ++k) {
    const double difference = static_cast<double>(a(i, k)) - static_cast<double>(b(j, k));
    sum += difference * difference;
  }
  return sum;
}

TEST(SquaredDistances, EqualTheNaiveLoopBitForBit) {
  for (const std::int64_t d : {1, 7, 64}) {
    const auto a = random_rows(19, d, 1), b = random_rows(26, d, 2);
    const MatrixView<const float> left(a.data(), 19, d), right(b.data(), 26, d);
    PackedRows left_rows, right_rows;
    left_rows.pack(left, 0, 19);
    right_rows.pack(right, 0, 26);
    std::vector<double> out(24 * 32);
    squared_distances({left_rows, 0, 19}, {right_rows, 0, 26}, {out.data(), 24, 32});
    for (std::int64_t i = 0; i < 19; ++i)
      for (std::int64_t j = 0; j < 26; ++j)
        ASSERT_EQ(out[static_cast<std::size_t>(i * 32 + j)], naive(left, i, right, j)) << d;
  }
}

TEST(SquaredDistances, EverySimdTargetGivesTheSameBytes) {
  const auto left = random_rows(8, 33, 3), right = random_rows(8, 33, 4);
  const std::vector<double> a(left.begin(), left.end()), b(right.begin(), right.end());
  std::vector<double> first(64);
  distance_kernel(SimdTarget::kScalar)(33, a.data(), b.data(), first.data(), 8);
  for (const SimdTarget target : available_simd_targets()) {
    std::vector<double> found(64);
    distance_kernel(target)(33, a.data(), b.data(), found.data(), 8);
    EXPECT_EQ(found, first) << simd_name(target);
  }
}

TEST(SquaredDistances, PackedAgainForgetsTheLargerBlockBefore) {
  const auto x = random_rows(40, 5, 5);
  const MatrixView<const float> view(x.data(), 40, 5);
  PackedRows rows;
  rows.pack(view, 0, 40);
  const std::vector<std::int64_t> chosen{7, 3, 39};
  rows.pack(view, chosen);
  ASSERT_EQ(rows.size(), 3);
  std::vector<double> out(64);
  squared_distances({rows, 0, 3}, {rows, 0, 3}, {out.data(), 8, 8});
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(out[i * 8 + j], naive(view, chosen[i], view, chosen[j]));
}

}  // namespace
}  // namespace scvet::numeric
