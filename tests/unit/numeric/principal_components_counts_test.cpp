#include "scvet/numeric/principal_components_counts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "scvet/base/error.h"
#include "scvet/base/parallel.h"
#include "scvet/numeric/principal_components.h"
#include "sparse_rows.h"

namespace scvet::numeric {
namespace {

std::vector<std::int64_t> first_genes(std::int64_t n) {
  std::vector<std::int64_t> genes(static_cast<std::size_t>(n));
  std::iota(genes.begin(), genes.end(), std::int64_t{0});
  return genes;
}

// The standardised matrix, dense, step by step.
std::vector<double> naive_scaled(const SparseRows& counts, const std::vector<std::int64_t>& genes) {
  const std::vector<double> x = counts.dense();
  const auto cols = static_cast<std::size_t>(counts.n_cols), rows = x.size() / cols;
  std::vector<double> z(rows * genes.size());
  for (std::size_t row = 0; row < rows; ++row) {
    double sum = 0;
    for (std::size_t col = 0; col < cols; ++col) sum += x[row * cols + col];
    for (std::size_t gene = 0; gene < genes.size(); ++gene)
      z[row * genes.size() + gene] =
          sum > 0 ? std::log1p(x[row * cols + static_cast<std::size_t>(genes[gene])] / (sum / 1e4)) : 0;
  }
  for (std::size_t gene = 0; gene < genes.size(); ++gene) {
    const auto at = [&](std::size_t row) -> double& { return z[row * genes.size() + gene]; };
    const auto centre = [&] {
      double mean = 0;
      for (std::size_t row = 0; row < rows; ++row) mean += at(row) / static_cast<double>(rows);
      for (std::size_t row = 0; row < rows; ++row) at(row) -= mean;
    };
    centre();
    double squares = 0;
    for (std::size_t row = 0; row < rows; ++row) squares += at(row) * at(row);
    const double sd = squares > 0 ? std::sqrt(squares / (static_cast<double>(rows) - 1)) : 1;
    for (std::size_t row = 0; row < rows; ++row) at(row) = std::clamp(at(row) / sd, -10.0, 10.0);
    centre();
  }
  return z;
}

void expect_components(const SparseRows& counts, const std::vector<std::int64_t>& genes, std::int64_t n) {
  const std::vector<double> z = naive_scaled(counts, genes);
  const auto rows = static_cast<std::int64_t>(z.size() / genes.size()), cols = std::ssize(genes);
  const std::vector<std::uint8_t> all(static_cast<std::size_t>(rows), 1);
  const PrincipalComponents expected = principal_components({z.data(), rows, cols}, all, n);
  const CountComponents found = count_components(counts.view(), genes, n);
  ASSERT_EQ(expected.n_components, n);
  ASSERT_EQ(found.scores.size(), static_cast<std::size_t>(rows * n));
  for (std::int64_t at = 0; at < n; ++at) {
    const double size = std::sqrt(expected.variances[static_cast<std::size_t>(at)] * static_cast<double>(rows));
    EXPECT_NEAR(found.singular_values[static_cast<std::size_t>(at)] / size, 1, 1e-9) << at;
    for (std::int64_t gene = 0; gene < cols; ++gene)
      ASSERT_NEAR(found.loadings[static_cast<std::size_t>(at * cols + gene)],
                  expected.axes[static_cast<std::size_t>(at * cols + gene)], 1e-6);
    for (std::int64_t row = 0; row < rows; ++row)
      ASSERT_NEAR(found.scores[static_cast<std::size_t>(row * n + at)],
                  expected.scores[static_cast<std::size_t>(row * n + at)], 1e-5 * size);
  }
}

TEST(CountComponents, OfManySparseCellsAreThoseOfTheDenseMatrix) {
  SparseRows counts = SparseRows::random(900, 130, 12, .3);
  counts.add({});
  expect_components(counts, first_genes(110), 6);
}

TEST(CountComponents, OfManyFullCellsAreThoseOfTheDenseMatrix) {
  expect_components(SparseRows::random(700, 200, 13, 1.5), first_genes(190), 6);
}

TEST(CountComponents, OfFewCellsAreThoseOfTheDenseMatrix) {
  expect_components(SparseRows::random(90, 400, 14), first_genes(400), 6);
}

TEST(CountComponents, ValuesBeyondTenDeviationsAreClipped) {
  SparseRows counts(60);
  const SparseRows plain = SparseRows::random(500, 59, 15);
  for (std::int64_t row = 0; row < 500; ++row) {
    std::vector<std::pair<std::uint32_t, float>> entries;
    for (std::size_t at = 0; at < plain.view().row_columns(row).size(); ++at)
      entries.emplace_back(plain.view().row_columns(row)[at], plain.view().row_values(row)[at]);
    if (row == 77) entries.emplace_back(59, 500.0F);  // one cell of 500: 22 deviations
    counts.add(entries);
  }
  expect_components(counts, first_genes(60), 5);
}

TEST(CountComponents, BeyondTheRankAreZero) {
  SparseRows counts(40);  // four kinds of cells: three components
  const SparseRows kinds = SparseRows::random(4, 40, 16);
  for (int row = 0; row < 100; ++row) {
    std::vector<std::pair<std::uint32_t, float>> entries;
    for (std::size_t at = 0; at < kinds.view().row_columns(row % 4).size(); ++at)
      entries.emplace_back(kinds.view().row_columns(row % 4)[at], kinds.view().row_values(row % 4)[at]);
    counts.add(entries);
  }
  const CountComponents found = count_components(counts.view(), first_genes(40), 10);
  for (std::size_t at = 0; at < 10; ++at) EXPECT_EQ(found.singular_values[at] > 0, at < 3) << at;
  for (std::size_t row = 0; row < 100; ++row)
    for (std::size_t at = 3; at < 10; ++at) ASSERT_EQ(found.scores[row * 10 + at], 0);
}

TEST(CountComponents, OtherCellsAreProjectedWithTheFittedScaling) {
  const SparseRows counts = SparseRows::random(400, 70, 17), other = SparseRows::random(30, 70, 18);
  const CountComponents found = count_components(counts.view(), first_genes(70), 5);
  const std::vector<float> scores = project_counts(found, other.view());
  const std::vector<double> x = other.dense();
  for (std::size_t row = 0; row < 30; ++row) {
    double sum = 0;
    for (std::size_t gene = 0; gene < 70; ++gene) sum += x[row * 70 + gene];
    for (std::size_t at = 0; at < 5; ++at) {
      double score = 0;
      for (std::size_t gene = 0; gene < 70; ++gene) {
        const double log = std::log1p(x[row * 70 + gene] / (sum / 1e4));
        const double z = std::clamp((log - found.scaling.mean[gene]) / found.scaling.sd[gene], -10.0, 10.0);
        score += (z - found.scaling.shift[gene]) * found.loadings[at * 70 + gene];
      }
      EXPECT_NEAR(scores[row * 5 + at], score, 1e-4);
    }
  }
}

TEST(CountComponents, TooFewCellsOrGenesAreRefusedInWords) {
  const SparseRows counts = SparseRows::random(20, 30, 19);
  for (const std::int64_t genes : {30, 10}) {
    try {
      count_components(counts.view(), first_genes(genes), genes == 30 ? 20 : 10);
      FAIL();
    } catch (const DataError& error) {
      EXPECT_EQ(error.facts().reason, "too_few_for_components");
    }
  }
  EXPECT_NO_THROW(count_components(counts.view(), first_genes(10), 9));
  EXPECT_THROW(count_components(counts.view(), first_genes(10), 0), UsageError);
}

TEST(CountComponents, GiveTheSameBytesForAnyNumberOfWorkers) {
  for (const auto& [rows, cols, often] : {std::tuple{900, 80, .3}, std::tuple{600, 80, 1.5}, std::tuple{70, 500, .5}}) {
    const SparseRows counts = SparseRows::random(rows, cols, 20, often);
    set_workers(1);
    const CountComponents one = count_components(counts.view(), first_genes(cols), 8);
    set_workers(3);
    const CountComponents three = count_components(counts.view(), first_genes(cols), 8);
    set_workers(0);
    EXPECT_EQ(one.scores, three.scores);
    EXPECT_EQ(one.loadings, three.loadings);
  }
}

}  // namespace
}  // namespace scvet::numeric
