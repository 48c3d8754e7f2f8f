#include "scvet/data/values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "scvet/base/error.h"
#include "scvet/base/random.h"

namespace scvet {
namespace {

using Rows = std::vector<std::vector<double>>;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Rows held in memory; a dense kind leaves zeros out, as readers do.
class RowSource : public CellSource {
 public:
  RowSource(Rows rows, const char* kind, std::vector<std::string> names = {}) : rows_(std::move(rows)) {
    info_.name = "X";
    info_.kind = kind;
    info_.n_cells = static_cast<std::int64_t>(rows_.size());
    info_.n_genes = rows_.empty() ? 0 : static_cast<std::int64_t>(rows_[0].size());
    var_.names = std::move(names);
  }
  const MatrixInfo& info() const override { return info_; }
  const Table& var() const override { return var_; }
  std::int64_t chunk_cells() const override { return 3; }
  void read(std::int64_t first, std::int64_t count, CellChunk& chunk) override {
    chunk = {};
    chunk.first_cell = first;
    chunk.n_cells = count;
    chunk.indptr = {0};
    for (std::int64_t cell = first; cell < first + count; ++cell) {
      const std::vector<double>& row = rows_[static_cast<std::size_t>(cell)];
      for (std::size_t gene = 0; gene < row.size(); ++gene) {
        if (row[gene] == 0) continue;
        chunk.genes.push_back(static_cast<std::uint32_t>(gene));
        chunk.values.push_back(row[gene]);
      }
      chunk.indptr.push_back(static_cast<std::int64_t>(chunk.genes.size()));
    }
  }

 private:
  Rows rows_;
  MatrixInfo info_;
  Table var_;
};

ValueSummary summarise(Rows rows, const char* kind = "csr_matrix", std::vector<std::string> names = {}) {
  RowSource source(std::move(rows), kind, std::move(names));
  return summarise_values(source);
}

// Counts of 40 cells by 60 genes, geometric, every cell with some ones.
Rows random_counts() {
  Stream stream(7);
  Rows rows(40, std::vector<double>(60));
  for (auto& row : rows)
    for (double& value : row) {
      while (stream.unit() < 0.5) value += 1;
      if (stream.unit() < 0.1) value *= 20;
    }
  return rows;
}

template <typename Change>
Rows changed(Rows rows, Change change) {
  for (auto& row : rows) {
    double total = 0;
    for (const double value : row) total += value;
    for (double& value : row)
      if (value != 0) value = static_cast<float>(change(value, total));
  }
  return rows;
}

TEST(Values, WholeNonNegativeValuesAreCounts) {
  const ValueSummary summary = summarise(random_counts());
  EXPECT_EQ(summary.state, ValueState::kCounts);
  EXPECT_EQ(summary.n_fractional, 0);
  EXPECT_TRUE(summary.examples.empty());
}

TEST(Values, CountsTimesAFactorPerCellAreNormalised) {
  const Rows rows = changed(random_counts(), [](double value, double total) { return value / total * 1e4; });
  const ValueSummary summary = summarise(rows);
  EXPECT_EQ(summary.state, ValueState::kNormalised) << summary.why;
  EXPECT_GT(summary.share_multiples, 0.9);
}

TEST(Values, LogOfNormalisedCountsIsLoggedAndRecognisedAsSuch) {
  const Rows rows =
      changed(random_counts(), [](double value, double total) { return std::log1p(value / total * 1e4); });
  const ValueSummary summary = summarise(rows);
  EXPECT_EQ(summary.state, ValueState::kLogged) << summary.why;
  EXPECT_GT(summary.share_log_multiples, 0.9);
  EXPECT_LT(summary.share_multiples, 0.5);
}

TEST(Values, MostlyWholeValuesWithSomeFractionsAreFractional) {
  Rows rows = random_counts();
  rows[3][4] = 2.5;
  rows[5][6] = 0.25;
  const ValueSummary summary = summarise(rows);
  EXPECT_EQ(summary.state, ValueState::kFractional) << summary.why;
  EXPECT_EQ(summary.n_fractional, 2);
  ASSERT_EQ(summary.examples.size(), 2u);
  EXPECT_EQ(summary.examples[0].cell, 3);
  EXPECT_EQ(summary.examples[0].gene, 4);
  EXPECT_EQ(summary.examples[1].value, 0.25);
}

TEST(Values, LargeUnevenFractionsAreFractionalNotNormalised) {
  Stream stream(11);
  const Rows rows = changed(random_counts(), [&](double value, double) { return value * (1 + stream.unit()) * 30; });
  EXPECT_EQ(summarise(rows).state, ValueState::kFractional);
}

TEST(Values, NegativeValuesAreScaledAndNumberedDimensionsAnEmbedding) {
  const Rows rows = {{-1.5, 2, 0.25}, {1, -0.5, 3}};
  EXPECT_EQ(summarise(rows, "ndarray", {"TP53", "ACTB", "CD4"}).state, ValueState::kScaled);
  EXPECT_EQ(summarise(rows, "ndarray", {"PC1", "PC2", "PC3"}).state, ValueState::kEmbedding);
}

TEST(Values, NanIsBrokenLeftOutOfSumsAndCountedAsNonZero) {
  const ValueSummary summary = summarise({{1, kNan, 0}, {0, 2, -3}}, "ndarray");
  EXPECT_EQ(summary.state, ValueState::kBroken);
  EXPECT_EQ(summary.n_nan, 1);
  EXPECT_EQ(summary.n_nonzero, 4);
  EXPECT_EQ(summary.stored, 6);
  EXPECT_DOUBLE_EQ(summary.sum, 0);
  EXPECT_THAT(summary.row_sums, testing::ElementsAre(1, -1));
  EXPECT_EQ(summary.examples.at(0).gene, 1);
}

TEST(Values, LeastValueOfADenseMatrixIncludesItsZerosAndOfASparseOneDoesNot) {
  const Rows rows = {{2, 0}, {3, 4}};
  EXPECT_EQ(summarise(rows, "ndarray").min_stored, 0);
  EXPECT_EQ(summarise(rows, "csr_matrix").min_stored, 2);
  EXPECT_EQ(summarise(rows, "csr_matrix").stored, 3);
}

TEST(Values, EmptyCellsAreCountedAndAnAllZeroMatrixIsEmpty) {
  EXPECT_EQ(summarise({{0, 0}, {1, 0}}).n_zero_rows, 1);
  EXPECT_EQ(summarise({{0, 0}, {0, 0}}, "ndarray").state, ValueState::kEmpty);
  EXPECT_TRUE(std::isnan(summarise({{0, 0}}).max));
}

TEST(Values, CommandsThatNeedCountsRefuseWithShareAndNamedExamples) {
  Rows rows = random_counts();
  rows[1][0] = 2.5;
  const ValueSummary summary = summarise(rows);
  try {
    require_counts(summary, "lung.h5ad", "layers/counts", {"c0", "c1"}, {"TP53", "ACTB"});
    FAIL() << "fractional values passed";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(),
                testing::AllOf(testing::HasSubstr("layers/counts in lung.h5ad"), testing::HasSubstr("1 of"),
                               testing::HasSubstr("cell c1, gene TP53: 2.5")));
    EXPECT_EQ(error.exit_code(), 3);
    EXPECT_EQ(error.facts().row, 1);
    EXPECT_EQ(error.facts().gene, "TP53");
    EXPECT_EQ(error.facts().reason, "fractional");
  }
  EXPECT_NO_THROW(require_counts(summarise(random_counts()), "f", "X", {}, {}));
}

}  // namespace
}  // namespace scvet
