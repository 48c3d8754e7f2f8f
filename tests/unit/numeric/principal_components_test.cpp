#include "scvet/numeric/principal_components.h"

#include <gtest/gtest.h>

#include <cmath>

#include "scvet/base/parallel.h"
#include "scvet/numeric/mt19937.h"

namespace scvet::numeric {
namespace {

std::vector<double> random_values(std::int64_t count, std::uint32_t seed) {
  Mt19937 stream(seed);
  std::vector<double> values(static_cast<std::size_t>(count));
  for (double& value : values) value = stream.randn();
  return values;
}

// Rows with variances that fall by half from one hidden direction to the next, and a little noise.
std::vector<double> structured(std::int64_t rows, std::int64_t cols, std::int64_t hidden, std::uint32_t seed) {
  const std::vector<double> left = random_values(rows * hidden, seed), right = random_values(hidden * cols, seed + 1);
  std::vector<double> x = random_values(rows * cols, seed + 2);
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t col = 0; col < cols; ++col) {
      double sum = 3;
      for (std::int64_t at = 0; at < hidden; ++at)
        sum += 8 * std::pow(0.7, static_cast<double>(at)) * left[static_cast<std::size_t>(row * hidden + at)] *
               right[static_cast<std::size_t>(at * cols + col)];
      double& value = x[static_cast<std::size_t>(row * cols + col)];
      value = sum + 0.01 * value;
    }
  return x;
}

TEST(SymmetricEigen, GivesBackTheMatrix) {
  constexpr std::int64_t kSize = 40;
  const std::vector<double> raw = random_values(kSize * kSize, 3);
  std::vector<double> matrix(raw.size());
  for (std::int64_t row = 0; row < kSize; ++row)
    for (std::int64_t col = 0; col < kSize; ++col)
      matrix[static_cast<std::size_t>(row * kSize + col)] =
          raw[static_cast<std::size_t>(row * kSize + col)] + raw[static_cast<std::size_t>(col * kSize + row)];
  const Eigen eigen = symmetric_eigen({matrix.data(), kSize, kSize});
  for (std::size_t at = 1; at < eigen.values.size(); ++at) EXPECT_GE(eigen.values[at - 1], eigen.values[at]);
  for (std::int64_t row = 0; row < kSize; ++row)
    for (std::int64_t col = 0; col < kSize; ++col) {
      double sum = 0, overlap = 0;
      for (std::int64_t at = 0; at < kSize; ++at) {
        const double* vector = eigen.vectors.data() + at * kSize;
        sum += eigen.values[static_cast<std::size_t>(at)] * vector[row] * vector[col];
        overlap += eigen.vectors[static_cast<std::size_t>(row * kSize + at)] *
                   eigen.vectors[static_cast<std::size_t>(col * kSize + at)];
      }
      EXPECT_NEAR(sum, matrix[static_cast<std::size_t>(row * kSize + col)], 1e-11);
      EXPECT_NEAR(overlap, row == col ? 1 : 0, 1e-12);
    }
}

TEST(SymmetricEigen, KnowsDiagonalAndDegenerateMatrices) {
  const std::vector<double> matrix{2, 0, 0, 0, 5, 0, 0, 0, 2};
  EXPECT_EQ(symmetric_eigen({matrix.data(), 3, 3}).values, (std::vector<double>{5, 2, 2}));
  const std::vector<double> zeros(16, 0.0);
  EXPECT_EQ(symmetric_eigen({zeros.data(), 4, 4}).values, std::vector<double>(4, 0.0));
}

// Scores are uncorrelated over the rows fitted, their variances those reported and descending, axes orthonormal.
void expect_components(const PrincipalComponents& found, std::int64_t n_fit, std::int64_t cols, double tolerance) {
  const std::int64_t n = found.n_components;
  for (std::int64_t a = 0; a < n; ++a)
    for (std::int64_t b = 0; b <= a; ++b) {
      double products = 0, axes = 0;
      for (std::int64_t row = 0; row < n_fit; ++row)
        products +=
            found.scores[static_cast<std::size_t>(row * n + a)] * found.scores[static_cast<std::size_t>(row * n + b)];
      for (std::int64_t col = 0; col < cols; ++col)
        axes +=
            found.axes[static_cast<std::size_t>(a * cols + col)] * found.axes[static_cast<std::size_t>(b * cols + col)];
      const double wanted = a == b ? found.variances[static_cast<std::size_t>(a)] : 0;
      EXPECT_NEAR(products / static_cast<double>(n_fit), wanted, tolerance * found.variances[0]) << a << " " << b;
      EXPECT_NEAR(axes, a == b ? 1 : 0, tolerance) << a << " " << b;
    }
}

TEST(PrincipalComponents, AreUncorrelatedDirectionsOfTheRowsFittedInBothForms) {
  for (const auto& [rows, cols] : {std::pair<std::int64_t, std::int64_t>{60, 25}, {25, 60}}) {
    const std::vector<double> x = structured(rows, cols, 6, 11);
    const std::vector<std::uint8_t> fit(static_cast<std::size_t>(rows), 1);
    expect_components(principal_components({x.data(), rows, cols}, fit, 6), rows, cols, 1e-9);
  }
}

TEST(PrincipalComponents, IterationFindsWhatTheWholeDecompositionFinds) {
  constexpr std::int64_t kRows = kExactSize + 20, kCols = 530;
  const std::vector<double> x = structured(kRows, kCols, 5, 21);
  const std::vector<std::uint8_t> fit(static_cast<std::size_t>(kRows), 1);
  const PrincipalComponents found = principal_components({x.data(), kRows, kCols}, fit, 5);
  ASSERT_EQ(found.n_components, 5);
  expect_components(found, kRows, kCols, 1e-9);
  double total = 0, kept = 0;  // the five hidden directions hold all but the noise
  for (std::int64_t col = 0; col < kCols; ++col) {
    double mean = 0;
    for (std::int64_t row = 0; row < kRows; ++row) mean += x[static_cast<std::size_t>(row * kCols + col)];
    mean /= kRows;
    for (std::int64_t row = 0; row < kRows; ++row) {
      const double centred = x[static_cast<std::size_t>(row * kCols + col)] - mean;
      total += centred * centred / kRows;
    }
  }
  for (const double variance : found.variances) kept += variance;
  EXPECT_NEAR(kept / total, 1, 1e-4);
}

TEST(PrincipalComponents, NeverLookAtRowsThatAreNotFitted) {
  constexpr std::int64_t kRows = 30, kCols = 12;
  std::vector<double> x = structured(kRows, kCols, 4, 5);
  std::vector<std::uint8_t> fit(kRows, 1);
  for (std::size_t row = 20; row < kRows; ++row) fit[row] = 0;
  const PrincipalComponents first = principal_components({x.data(), kRows, kCols}, fit, 4);
  for (std::size_t at = 20 * kCols; at < x.size(); ++at) x[at] = 1000 - x[at];
  const PrincipalComponents second = principal_components({x.data(), kRows, kCols}, fit, 4);
  EXPECT_EQ(first.axes, second.axes);
  EXPECT_EQ(first.variances, second.variances);
}

TEST(PrincipalComponents, StopWhereTheRowsSpanNoMore) {
  constexpr std::int64_t kRows = 10, kCols = 6;
  std::vector<double> x(kRows * kCols, 1.0);
  for (std::int64_t row = 0; row < kRows; ++row) x[static_cast<std::size_t>(row * kCols)] = static_cast<double>(row);
  const PrincipalComponents found =
      principal_components({x.data(), kRows, kCols}, std::vector<std::uint8_t>(kRows, 1), 4);
  EXPECT_EQ(found.n_components, 1);
  EXPECT_EQ(found.axes, (std::vector<double>{1, 0, 0, 0, 0, 0}));
}

TEST(PrincipalComponents, AreTheSameBytesForAnyNumberOfWorkers) {
  constexpr std::int64_t kRows = kExactSize + 8, kCols = 520;
  const std::vector<double> x = structured(kRows, kCols, 3, 8);
  const std::vector<std::uint8_t> fit(static_cast<std::size_t>(kRows), 1);
  set_workers(1);
  const PrincipalComponents one = principal_components({x.data(), kRows, kCols}, fit, 3);
  set_workers(3);
  const PrincipalComponents three = principal_components({x.data(), kRows, kCols}, fit, 3);
  set_workers(0);
  EXPECT_EQ(one.scores, three.scores);
}

}  // namespace
}  // namespace scvet::numeric
