#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "geometry_sample.h"
#include "pearson_residuals.h"
#include "scvet/base/error.h"
#include "scvet/base/parallel.h"

namespace scvet::metrics {
namespace {

using testing::count;
using testing::GeometrySample;
using testing::make_sample;
using testing::real;
using testing::run;

std::vector<std::vector<double>> dense(const CsrMatrix& counts) {
  std::vector<std::vector<double>> rows;
  for (std::int64_t cell = 0; cell < counts.n_cells; ++cell) {
    rows.emplace_back(static_cast<std::size_t>(counts.n_genes), 0.0);
    const auto genes = counts.view().row_columns(cell);
    for (std::size_t at = 0; at < genes.size(); ++at) rows.back()[genes[at]] = counts.view().row_values(cell)[at];
  }
  return rows;
}

// Residual of one count by the definition.
float naive_residual(const std::vector<std::vector<double>>& rows, std::size_t cell, std::size_t gene) {
  double own = 0, of_gene = 0, all = 0;
  for (std::size_t row = 0; row < rows.size(); ++row)
    for (std::size_t col = 0; col < rows[row].size(); ++col) {
      all += rows[row][col];
      if (row == cell) own += rows[row][col];
      if (col == gene) of_gene += rows[row][col];
    }
  const double mu = own * of_gene / all, limit = std::sqrt(static_cast<double>(rows.size()));
  return mu == 0
             ? 0
             : static_cast<float>(std::clamp((rows[cell][gene] - mu) / std::sqrt(mu + mu * mu / 100), -limit, limit));
}

TEST(PearsonResiduals, AreThoseOfTheDefinition) {
  const auto sample = make_sample(25, 2, 1);
  const auto rows = dense(sample.counts);
  const std::vector<std::uint32_t> genes = {3, 0, 17, 59};
  const BatchResiduals batch(sample.counts.view());
  const std::vector<float> found = batch.matrix(genes);
  const std::vector<double> variances = batch.variances(genes);
  for (std::size_t gene = 0; gene < genes.size(); ++gene) {
    double mean = 0, squares = 0;
    for (std::size_t cell = 0; cell < rows.size(); ++cell) {
      const float expected = naive_residual(rows, cell, genes[gene]);
      EXPECT_EQ(found[cell * genes.size() + gene], expected);
      mean += double{expected} / 25;
    }
    for (std::size_t cell = 0; cell < rows.size(); ++cell)
      squares += std::pow(double{found[cell * genes.size() + gene]} - mean, 2);
    EXPECT_NEAR(variances[gene], squares / 24, 1e-12);
  }
}

TEST(PearsonResiduals, AGeneWithoutACountInTheBatchIsZero) {
  CsrMatrix counts;
  counts.n_cells = 2;
  counts.n_genes = 2;
  counts.genes = {0, 0};
  counts.values = {3, 5};
  counts.indptr = {0, 1, 2};
  const std::vector<std::uint32_t> genes = {1};
  EXPECT_EQ(BatchResiduals(counts.view()).matrix(genes), (std::vector<float>{0, 0}));
  EXPECT_EQ(BatchResiduals(counts.view()).variances(genes), std::vector<double>{0});
}

TEST(CandidateGenes, TechnicalRareAndWeakGenesAreLeftOut) {
  CsrMatrix counts;
  counts.n_cells = 12;
  counts.n_genes = 7;
  for (int cell = 0; cell < 12; ++cell) {
    for (std::uint32_t gene = 0; gene < 6; ++gene) {
      if (gene == 4 && cell >= 9) continue;  // in 9 cells only
      counts.genes.push_back(gene);
      counts.values.push_back(gene == 5 ? 0.0f : 2.0f);  // gene 5: stored zeros, total 0
    }
    counts.genes.push_back(6);
    counts.values.push_back(1);
    counts.indptr.push_back(std::ssize(counts.genes));
  }
  std::vector<std::string> names = {"mt-co1", "RPL3", "Ercc-00002", "GAPDH", "RARE", "EMPTY", "MARKED"};
  EXPECT_EQ(candidate_genes(counts.view(), names, {}).columns, (std::vector<std::uint32_t>{3, 6}));
  const std::vector<std::uint8_t> marked = {0, 0, 0, 0, 0, 0, 1};
  const CandidateGenes found = candidate_genes(counts.view(), names, marked);
  EXPECT_EQ(found.columns, std::vector<std::uint32_t>{3});
  EXPECT_EQ(found.detected, std::vector<std::int64_t>{12});
  names[0] = "MTOR";
  EXPECT_EQ(candidate_genes(counts.view(), names, {}).columns.front(), 0u);
}

TEST(MostVariable, OrdersByMedianThenMeanThenCellsThenPosition) {
  const CandidateGenes candidates{{10, 11, 12, 13}, {5, 5, 9, 5}};
  // Ranks: gene 10 is 4, 1, 4; gene 11 is 3, 4, 3; genes 12 and 13 share 1.5, 2.5, 1.5.
  const std::vector<std::vector<double>> variances = {{9, 5, 1, 1}, {1, 7, 3, 3}, {9, 5, 1, 1}};
  EXPECT_EQ(most_variable(candidates, variances, 4), (std::vector<std::uint32_t>{10, 11, 12, 13}));
  EXPECT_EQ(most_variable({{10, 11, 12, 13}, {5, 5, 5, 9}}, variances, 3), (std::vector<std::uint32_t>{10, 11, 13}));
}

TEST(Rnx, TheResidualsThemselvesScoreOne) {
  auto sample = make_sample(300, 2, 4);
  sample.batches = make_groups(std::vector<std::string>(300, "one"));
  const CandidateGenes candidates = candidate_genes(sample.counts.view(), sample.genes, {});
  const BatchResiduals batch(sample.counts.view());
  const auto genes = most_variable(candidates, {batch.variances(candidates.columns)}, 40);
  sample.d = 40;
  sample.z = batch.matrix(genes);
  const ProbeOutput output = run("rnx", sample.input());
  for (std::size_t at = 0; at < 4; ++at) EXPECT_NEAR(real(output, at), 1, 1e-12);
  EXPECT_EQ(count(output, 4), 300);
  EXPECT_EQ(real(output, 5), 1);
  EXPECT_EQ(count(output, 6), 1);
}

TEST(Rnx, NoiseScoresAboutZero) {
  auto sample = make_sample(600, 5, 4);
  Stream stream(12);
  for (float& value : sample.z) value = static_cast<float>(stream.unit());
  const ProbeOutput output = run("rnx", sample.input());
  for (std::size_t at = 0; at < 4; ++at) EXPECT_NEAR(real(output, at), 0, 0.02);
}

TEST(Rnx, BatchesAreWeightedByTheirCellsAndSmallOnesLeftOut) {
  auto sample = make_sample(420, 4, 5);
  std::vector<std::string> batches(420, "big");
  for (std::size_t cell = 0; cell < 150; ++cell) batches[cell] = "middle";
  for (std::size_t cell = 150; cell < 250; ++cell) batches[cell] = "small";  // 100 cells
  sample.batches = make_groups(batches);
  const ProbeOutput output = run("rnx", sample.input());
  ASSERT_EQ(output.batches.size(), 6u);
  EXPECT_EQ(output.batches[0].batch, "big");
  EXPECT_EQ(output.batches[3].batch, "middle");
  EXPECT_EQ(output.batches[5].k, 50);
  EXPECT_NEAR(real(output, 0), (170 * output.batches[0].rnx + 150 * output.batches[3].rnx) / 320, 1e-12);
  EXPECT_EQ(count(output, 4), 320);
  EXPECT_NEAR(real(output, 5), 320.0 / 420, 1e-12);
  EXPECT_EQ(output.note, "rnx:batch_key=batch_id;n_genes=40;eligible_batches=2/3;eligible_cells=320");
}

TEST(Rnx, WithoutABatchColumnAllCellsAreOneBatch) {
  auto sample = make_sample(150, 4, 5);
  GeometryInput input = sample.input();
  input.batches = nullptr;
  input.batch_key = "donor";
  const ProbeOutput output = run("rnx", input);
  EXPECT_EQ(output.note, "rnx:batch_key=donor_missing;single_batch;n_genes=40;eligible_batches=1/1;eligible_cells=150");
  EXPECT_EQ(output.batches[0].batch, "batch0");
}

TEST(Rnx, RefusesWhatAreNoCountsAndBatchesThatAreSmall) {
  auto sample = make_sample(150, 4, 5);
  GeometryInput input = sample.input();
  sample.counts.values[7] = 1.5f;
  EXPECT_THROW(run("rnx", input), DataError);
  sample.counts.values[7] = -1;
  EXPECT_THROW(run("rnx", input), DataError);
  sample.counts.values[7] = 1;
  std::vector<std::string> batches(150, "one");
  std::fill_n(batches.begin(), 75, "two");
  sample.batches = make_groups(batches);
  EXPECT_THROW(run("rnx", sample.input()), DataError);
}

}  // namespace
}  // namespace scvet::metrics
