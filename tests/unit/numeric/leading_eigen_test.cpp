#include "scvet/numeric/leading_eigen.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "scvet/base/parallel.h"
#include "scvet/base/random.h"

namespace scvet::numeric {
namespace {

// H D H for a reflection H = 1 - 2 v v': a full matrix whose eigenvalues are known.
struct Known {
  std::vector<double> diagonal, v;
  explicit Known(std::vector<double> values) : diagonal(std::move(values)), v(diagonal.size()) {
    Stream stream(7);
    double squares = 0;
    for (double& value : v) {
      value = stream.unit() - .5;
      squares += value * value;
    }
    for (double& value : v) value /= std::sqrt(squares);
  }
  std::int64_t n() const { return std::ssize(diagonal); }
  void reflect(std::span<double> x) const {
    double along = 0;
    for (std::size_t at = 0; at < x.size(); ++at) along += x[at] * v[at];
    for (std::size_t at = 0; at < x.size(); ++at) x[at] -= 2 * along * v[at];
  }
  SymmetricProduct product() const {
    return [this](std::span<const double> x, std::span<double> y) {
      std::copy(x.begin(), x.end(), y.begin());
      reflect(y);
      for (std::size_t at = 0; at < y.size(); ++at) y[at] *= diagonal[at];
      reflect(y);
    };
  }
};

void expect_pairs(const Known& matrix, const Eigen& found, const std::vector<double>& values) {
  const auto n = static_cast<std::size_t>(matrix.n());
  ASSERT_EQ(found.values.size(), values.size());
  ASSERT_EQ(found.vectors.size(), values.size() * n);
  std::vector<double> image(n);
  double largest = 0;
  for (const double value : matrix.diagonal) largest = std::max(largest, std::fabs(value));
  for (std::size_t at = 0; at < values.size(); ++at) {
    EXPECT_NEAR(found.values[at], values[at], 1e-11 * largest) << "pair " << at;
    const std::span<const double> vector(found.vectors.data() + at * n, n);
    matrix.product()(vector, image);
    for (std::size_t row = 0; row < n; ++row) ASSERT_NEAR(image[row], values[at] * vector[row], 1e-11 * largest);
    for (std::size_t other = 0; other <= at; ++other) {
      double dot = 0;
      for (std::size_t row = 0; row < n; ++row) dot += vector[row] * found.vectors[other * n + row];
      EXPECT_NEAR(dot, other == at ? 1 : 0, 1e-10) << "pairs " << at << " and " << other;
    }
  }
}

std::vector<double> falling(std::size_t n) {
  std::vector<double> values(n);
  for (std::size_t at = 0; at < n; ++at) values[at] = 1 / (1 + static_cast<double>(at) / 5);
  return values;
}

TEST(LeadingEigen, LargestPairsOfALargeMatrixAreFound) {
  const Known matrix(falling(900));
  expect_pairs(matrix, leading_eigen(matrix.n(), matrix.product(), 30, Leading::kLargest),
               {matrix.diagonal.begin(), matrix.diagonal.begin() + 30});
}

TEST(LeadingEigen, SmallMatricesAndNearlyAllPairsAreFoundToo) {
  const Known small(falling(12));
  expect_pairs(small, leading_eigen(12, small.product(), 20, Leading::kLargest), small.diagonal);
  const Known most(falling(400));
  expect_pairs(most, leading_eigen(400, most.product(), 399, Leading::kLargest),
               {most.diagonal.begin(), most.diagonal.begin() + 399});
  EXPECT_TRUE(leading_eigen(0, small.product(), 3, Leading::kLargest).values.empty());
}

TEST(LeadingEigen, EveryCopyOfAMultipleValueIsFound) {
  std::vector<double> values = falling(700);
  for (std::size_t at = 0; at < 25; ++at) values[at] = 1;
  for (std::size_t at = 25; at < 29; ++at) values[at] = .7;
  const Known matrix(values);
  for (const auto which : {Leading::kLargest, Leading::kLargestMagnitude})
    expect_pairs(matrix, leading_eigen(matrix.n(), matrix.product(), 40, which), {values.begin(), values.begin() + 40});
  expect_pairs(matrix, leading_eigen(matrix.n(), matrix.product(), 10, Leading::kLargest),
               std::vector<double>(10, 1.0));
}

TEST(LeadingEigen, MagnitudeCountsNegativeValuesAndLargestDoesNot) {
  std::vector<double> values(500, 0.0);
  for (std::size_t at = 0; at < values.size(); ++at)
    values[at] = (at % 2 ? -1 : 1) * (1 / (1 + static_cast<double>(at) / 9));
  const Known matrix(values);
  expect_pairs(matrix, leading_eigen(500, matrix.product(), 20, Leading::kLargestMagnitude),
               {values.begin(), values.begin() + 20});
  std::vector<double> positive;
  for (std::size_t at = 0; at < 40; at += 2) positive.push_back(values[at]);
  expect_pairs(matrix, leading_eigen(500, matrix.product(), 20, Leading::kLargest), positive);
}

TEST(LeadingEigen, ValuesBeyondTheRankAreZero) {
  for (const double size : {1e-9, 1.0, 1e12}) {
    std::vector<double> values(600, 0.0);
    for (std::size_t at = 0; at < 5; ++at) values[at] = size * static_cast<double>(5 - at);
    const Known matrix(values);
    expect_pairs(matrix, leading_eigen(600, matrix.product(), 12, Leading::kLargest),
                 {values.begin(), values.begin() + 12});
    expect_pairs(matrix, leading_eigen(600, matrix.product(), 12, Leading::kLargestMagnitude),
                 {values.begin(), values.begin() + 12});
  }
  const Known zero(std::vector<double>(300, 0.0));
  expect_pairs(zero, leading_eigen(300, zero.product(), 3, Leading::kLargest), {0, 0, 0});
}

// A graph of `parts` rings: its normalised matrix has the value 1 once for each ring.
TEST(LeadingEigen, EachComponentOfAGraphHasItsOwnLeadingPair) {
  constexpr std::int64_t kParts = 17, kSize = 60, kNodes = kParts * kSize;
  const SymmetricProduct rings = [](std::span<const double> x, std::span<double> y) {
    for (std::size_t node = 0; node < x.size(); ++node) {
      const std::size_t first = node / kSize * kSize, at = node - first;
      y[node] = (x[first + (at + 1) % kSize] + x[first + (at + kSize - 1) % kSize]) / 2;
    }
  };
  const Eigen found = leading_eigen(kNodes, rings, 80, Leading::kLargest);
  for (std::size_t at = 0; at < 80; ++at) {
    const double expected = at < 17 ? 1 : at < 51 ? std::cos(2 * M_PI / kSize) : std::cos(4 * M_PI / kSize);
    EXPECT_NEAR(found.values[at], expected, 1e-11) << at;
  }
}

TEST(LeadingEigen, WholeMatrixGivesTheSameBytesForAnyNumberOfWorkers) {
  constexpr std::int64_t kSize = 300;
  std::vector<double> entries(kSize * kSize);
  for (std::int64_t row = 0; row < kSize; ++row)
    for (std::int64_t col = 0; col < kSize; ++col)
      entries[static_cast<std::size_t>(row * kSize + col)] = 1 / (1.0 + std::fabs(static_cast<double>(row - col)));
  const MatrixView<const double> matrix(entries.data(), kSize, kSize);
  set_workers(1);
  const Eigen one = leading_eigen(matrix, 9, Leading::kLargest);
  set_workers(3);
  const Eigen three = leading_eigen(matrix, 9, Leading::kLargest);
  set_workers(0);
  EXPECT_EQ(one.values, three.values);
  EXPECT_EQ(one.vectors, three.vectors);
  const Eigen all = symmetric_eigen(matrix);
  for (std::size_t at = 0; at < 9; ++at) EXPECT_NEAR(one.values[at], all.values[at], 1e-11 * all.values[0]);
}

}  // namespace
}  // namespace scvet::numeric
