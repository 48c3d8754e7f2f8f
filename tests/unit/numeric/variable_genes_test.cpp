#include "scvet/numeric/variable_genes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "scvet/base/error.h"
#include "scvet/base/parallel.h"
#include "sparse_rows.h"

namespace scvet::numeric {
namespace {

struct Moments {
  double mean = 0, variance = 0;
};

Moments moments(const std::vector<double>& values) {
  Moments found;
  for (const double value : values) found.mean += value / static_cast<double>(values.size());
  for (const double value : values)
    found.variance += (value - found.mean) * (value - found.mean) / (static_cast<double>(values.size()) - 1);
  return found;
}

// Column by column over a dense matrix, as the formulas read.
std::vector<double> naive_dispersions(std::vector<double> x, std::size_t rows, std::size_t cols) {
  for (std::size_t row = 0; row < rows; ++row) {
    double sum = 0;
    for (std::size_t col = 0; col < cols; ++col) sum += x[row * cols + col];
    for (std::size_t col = 0; col < cols; ++col)
      if (sum > 0) x[row * cols + col] = std::expm1(std::log1p(x[row * cols + col] / (sum / 1e4)));
  }
  std::vector<double> d, m;
  for (std::size_t col = 0; col < cols; ++col) {
    std::vector<double> values;
    for (std::size_t row = 0; row < rows; ++row) values.push_back(x[row * cols + col]);
    Moments of = moments(values);
    if (of.mean == 0) of.mean = 1e-12;
    d.push_back(of.variance > 0 ? std::log(of.variance / of.mean) : std::nan(""));
    m.push_back(std::log1p(of.mean));
  }
  const double low = *std::min_element(m.begin(), m.end()), high = *std::max_element(m.begin(), m.end());
  std::vector<double> scores(cols, std::nan(""));
  for (int bin = 0; bin < 20; ++bin) {
    const double from = bin == 0 ? low - .001 * (high - low) : low + bin * (high - low) / 20;
    const double to = bin == 19 ? high : low + (bin + 1) * (high - low) / 20;
    std::vector<std::size_t> inside;
    std::vector<double> values;
    for (std::size_t col = 0; col < cols; ++col)
      if (m[col] > from && m[col] <= to && !std::isnan(d[col])) {
        inside.push_back(col);
        values.push_back(d[col]);
      }
    const Moments of = moments(values);
    for (const std::size_t col : inside)
      scores[col] = inside.size() == 1 ? 1 : (d[col] - of.mean) / std::sqrt(of.variance);
  }
  return scores;
}

TEST(DispersionGenes, ScoreAsTheFormulasRead) {
  SparseRows counts = SparseRows::random(300, 120, 4);
  counts.add({});                                             // a cell without counts
  for (std::size_t at = 0; at < counts.columns.size(); ++at)  // a gene without counts
    if (counts.columns[at] == 7) counts.values[at] = 0;
  const std::vector<double> expected = naive_dispersions(counts.dense(), 301, 120);
  const DispersionGenes found = dispersion_genes(counts.view(), 30);
  for (std::size_t gene = 0; gene < expected.size(); ++gene) {
    ASSERT_EQ(std::isnan(found.normalised[gene]), std::isnan(expected[gene])) << gene;
    if (!std::isnan(expected[gene])) {
      EXPECT_NEAR(found.normalised[gene], expected[gene], 1e-9) << gene;
    }
  }
  EXPECT_TRUE(std::isnan(found.normalised[7]));
  EXPECT_EQ(found.genes.size(), 30u);
  for (std::size_t gene = 0; gene < expected.size(); ++gene)
    EXPECT_EQ(std::binary_search(found.genes.begin(), found.genes.end(), static_cast<std::int64_t>(gene)),
              found.normalised[gene] >= found.cut_off);
}

TEST(DispersionGenes, EqualGenesAreKeptTogetherAndAllWhereThereAreFewer) {
  SparseRows counts(61);  // column 60 repeats column 0
  const SparseRows plain = SparseRows::random(200, 60, 5);
  for (std::int64_t row = 0; row < 200; ++row) {
    std::vector<std::pair<std::uint32_t, float>> entries;
    for (std::size_t at = 0; at < plain.view().row_columns(row).size(); ++at)
      entries.emplace_back(plain.view().row_columns(row)[at], plain.view().row_values(row)[at]);
    if (!entries.empty() && entries[0].first == 0) entries.emplace_back(60, entries[0].second);
    counts.add(entries);
  }
  const auto all = dispersion_genes(counts.view(), 1'000);
  EXPECT_EQ(all.genes.size(), 61u);
  EXPECT_EQ(all.normalised[0], all.normalised[60]);
  const auto better = std::count_if(all.normalised.begin(), all.normalised.end(),
                                    [&](double score) { return score > all.normalised[0]; });
  EXPECT_EQ(static_cast<std::int64_t>(dispersion_genes(counts.view(), better + 1).genes.size()), better + 2);
}

TEST(DispersionGenes, OfSomeCellsAreThoseOfAMatrixOfThem) {
  const SparseRows counts = SparseRows::random(240, 80, 6);
  SparseRows half(80);
  std::vector<std::int64_t> cells;
  for (std::int64_t row = 1; row < 240; row += 2) {
    std::vector<std::pair<std::uint32_t, float>> entries;
    for (std::size_t at = 0; at < counts.view().row_columns(row).size(); ++at)
      entries.emplace_back(counts.view().row_columns(row)[at], counts.view().row_values(row)[at]);
    half.add(entries);
    cells.push_back(row);
  }
  const auto found = dispersion_genes(counts.view(), cells, 25), expected = dispersion_genes(half.view(), 25);
  EXPECT_EQ(found.genes, expected.genes);
  EXPECT_EQ(found.cut_off, expected.cut_off);
}

TEST(DispersionGenes, OfCellsThatAreAllAlikeAreNone) {
  SparseRows counts(5);
  for (int row = 0; row < 40; ++row) counts.add({{0, 4}, {3, 4}});
  const auto found = dispersion_genes(counts.view(), 3);
  EXPECT_TRUE(found.genes.empty());
  EXPECT_TRUE(std::isnan(found.cut_off));
  EXPECT_THROW(dispersion_genes(counts.view(), 0), UsageError);
}

TEST(VariableGenes, GiveTheSameBytesForAnyNumberOfWorkers) {
  const SparseRows counts = SparseRows::random(3'000, 150, 8, .4);
  std::vector<std::int32_t> batches;
  for (int cell = 0; cell < 3'000; ++cell) batches.push_back(cell % 3);
  set_workers(1);
  const auto dispersion = dispersion_genes(counts.view(), 50);
  const auto vst = vst_genes(counts.view(), batches, 50, VstOrder::kRank);
  set_workers(3);
  EXPECT_EQ(dispersion_genes(counts.view(), 50).normalised, dispersion.normalised);
  EXPECT_EQ(vst_genes(counts.view(), batches, 50, VstOrder::kRank).variances_norm, vst.variances_norm);
  set_workers(0);
}

TEST(VstGenes, OneGeneThatVariesMoreThanItsLikeComesFirst) {
  SparseRows counts(200);
  Stream stream(9);
  for (int row = 0; row < 400; ++row) {
    std::vector<std::pair<std::uint32_t, float>> entries;
    for (std::uint32_t col = 0; col < 200; ++col) {
      const double mean = 1 + .05 * col;
      double value = 0;
      for (double rest = std::exp(-mean); stream.unit() > rest && value < 60;) value += 1;
      if (col == 100) value = row % 8 == 0 ? 40 : 0;
      if (value > 0) entries.emplace_back(col, static_cast<float>(value));
    }
    counts.add(entries);
  }
  const auto found = vst_genes(counts.view(), {}, 10, VstOrder::kRank);
  EXPECT_EQ(found.rank[100], 0);
  EXPECT_EQ(found.genes.size(), 10u);
  EXPECT_TRUE(std::is_sorted(found.genes.begin(), found.genes.end()));
}

TEST(VstGenes, OrderByBatchesPrefersGenesOfEveryBatchAndOrderByRankTheirPlace) {
  // Genes 0..4 lead batch 0 alone; genes 5..9 are next in both batches.
  SparseRows counts(120);
  std::vector<std::int32_t> batches;
  Stream stream(10);
  for (int row = 0; row < 600; ++row) {
    const int batch = row % 2;
    batches.push_back(batch);
    std::vector<std::pair<std::uint32_t, float>> entries;
    for (std::uint32_t col = 0; col < 120; ++col) {
      const int mean = 5 + static_cast<int>(col) / 4;
      int value = 0;
      for (int draw = 0; draw < 2 * mean; ++draw) value += stream.unit() < .5;
      if (col < 5 && batch == 0) value = row % 12 == 0 ? 12 * mean : 0;
      if (col >= 5 && col < 10) value = row % 6 < 2 ? 3 * mean : 0;
      if (value > 0) entries.emplace_back(col, static_cast<float>(value));
    }
    counts.add(entries);
  }
  const auto by_rank = vst_genes(counts.view(), batches, 5, VstOrder::kRank);
  const auto by_batches = vst_genes(counts.view(), batches, 5, VstOrder::kBatches);
  EXPECT_EQ(by_rank.n_batches, by_batches.n_batches);
  EXPECT_EQ(by_rank.n_batches[0], 1);
  EXPECT_EQ(by_rank.n_batches[119], 0);
  EXPECT_TRUE(std::isnan(by_rank.rank[119]));
  for (std::int64_t gene = 5; gene < 10; ++gene)
    EXPECT_EQ(by_rank.rank[static_cast<std::size_t>(gene)]<5, by_rank.n_batches[static_cast<std::size_t>(gene)]> 0);
  EXPECT_NE(by_rank.n_batches[5] + by_rank.n_batches[6], 0);
}

TEST(VstGenes, ABatchOfOneCellIsRefused) {
  const SparseRows counts = SparseRows::random(50, 60, 11);
  std::vector<std::int32_t> batches(50, 0);
  batches[3] = 1;
  try {
    vst_genes(counts.view(), batches, 10, VstOrder::kRank);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_EQ(error.facts().reason, "batch_too_small");
  }
}

}  // namespace
}  // namespace scvet::numeric
