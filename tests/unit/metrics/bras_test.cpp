#include <gtest/gtest.h>

#include "batch_sample.h"

namespace scvet::metrics {
namespace {

using testing::gaussian_sample;
using testing::Sample;

double cosine_distance(const Sample& sample, std::int64_t one, std::int64_t other) {
  double product = 0, one_length = 0, other_length = 0;
  for (std::int64_t dim = 0; dim < sample.n_dims; ++dim) {
    const double a = sample.x[static_cast<std::size_t>(one * sample.n_dims + dim)];
    const double b = sample.x[static_cast<std::size_t>(other * sample.n_dims + dim)];
    product += a * b;
    one_length += a * a;
    other_length += b * b;
  }
  return std::clamp(1 - product / std::sqrt(one_length * other_length), 0.0, 2.0);
}

// Over all pairs; NaN where the label is skipped.
std::vector<double> naive_cells(const Sample& sample) {
  std::vector<double> scores;
  for (std::int64_t cell = 0; cell < sample.n_cells(); ++cell) {
    const auto at = static_cast<std::size_t>(cell);
    double own = 0, others = 0;
    int n_own = 0, n_others = 0;
    for (std::int64_t other = 0; other < sample.n_cells(); ++other) {
      const auto of = static_cast<std::size_t>(other);
      if (other == cell || sample.label[of] != sample.label[at]) continue;
      const bool same = sample.batch[of] == sample.batch[at];
      (same ? own : others) += cosine_distance(sample, cell, other);
      ++(same ? n_own : n_others);
    }
    if (n_others == 0) {
      scores.push_back(std::nan(""));
      continue;
    }
    const double a = own / n_own, b = others / n_others;
    const double silhouette = (b - a) / std::max(a, b);
    scores.push_back(std::isnan(silhouette) || n_own == 0 ? 1 : 1 - std::fabs(silhouette));
  }
  return scores;
}

TEST(Bras, SumsWithoutPairsEqualTheLoopOverAllPairs) {
  for (const double shift : {0.0, 0.3, 3.0}) {
    Sample sample = gaussian_sample(500, 7, 5, 4, shift);
    const MetricValue found = testing::metric("BRAS").compute(sample.input());
    const std::vector<double> naive = naive_cells(sample);
    ASSERT_EQ(found.cells.size(), naive.size());
    for (std::size_t cell = 0; cell < naive.size(); ++cell)
      ASSERT_NEAR(found.cells[cell], naive[cell], 1e-12) << "cell " << cell << " shift " << shift;
    double sum = 0;
    for (const LabelValue& label : found.labels) sum += label.value;
    EXPECT_DOUBLE_EQ(found.value, sum / static_cast<double>(found.labels.size()));
    EXPECT_EQ(found.note, "bras_definition=cosine_mean_other");
  }
}

// Embeddings of networks often lie in a narrow cone, where 1 - cos has few digits left.
TEST(Bras, StaysPreciseWhereAllRowsPointAlmostTheSameWay) {
  Sample sample = gaussian_sample(300, 6, 3, 3, 0.5);
  for (std::size_t at = 0; at < sample.x.size(); at += 6) sample.x[at] += 1000;
  const MetricValue found = testing::metric("BRAS").compute(sample.input());
  const std::vector<double> naive = naive_cells(sample);
  for (std::size_t cell = 0; cell < naive.size(); ++cell) ASSERT_NEAR(found.cells[cell], naive[cell], 1e-7);
}

// Label a, worked by hand: p1, p2 along x and q along y. p1: own batch 0, others 1, silhouette 1; so p2. q: alone in its
// batch, silhouette 0. Score (0 + 0 + 1) / 3.
TEST(Bras, ThreeCellsByHand) {
  Sample sample;
  sample.add("a", "one", {2, 0});
  sample.add("a", "one", {5, 0});
  sample.add("a", "two", {0, 3});
  const MetricValue found = testing::metric("BRAS").compute(sample.input());
  EXPECT_NEAR(found.value, 1.0 / 3, 1e-15);
  EXPECT_EQ(found.cells, (std::vector<double>{0, 0, 1}));
}

TEST(Bras, EqualDirectionsOfAnyLengthScoreOne) {
  Sample sample;
  for (int cell = 0; cell < 12; ++cell) {
    const float length = static_cast<float>(cell + 1) / 7;
    sample.add("a", cell % 3 == 0 ? "one" : "two", {0.1F * length, 0.7F * length, -0.3F * length});
  }
  for (std::size_t at = 0; at < sample.x.size(); at += 3) {  // the same row, exactly
    sample.x[at] = 0.1F;
    sample.x[at + 1] = 0.7F;
    sample.x[at + 2] = -0.3F;
  }
  EXPECT_EQ(testing::metric("BRAS").compute(sample.input()).value, 1);
  for (std::size_t at = 0; at < sample.x.size(); ++at)
    sample.x[at] *= static_cast<float>(1 << (at / 3));  // powers of two: the direction stays exact
  EXPECT_EQ(testing::metric("BRAS").compute(sample.input()).value, 1);
}

TEST(Bras, LabelsWithoutAComparisonAreSkippedWithAReason) {
  Sample sample = gaussian_sample(60, 4, 1, 2, 0.5);
  const double alone = testing::metric("BRAS").compute(sample.input()).value;
  sample.add("only one batch", "batch 0", {1, 0, 0, 0});
  sample.add("only one batch", "batch 0", {0, 1, 0, 0});
  sample.add("one a batch", "batch 0", {0, 1, 1, 0});
  sample.add("one a batch", "batch 1", {0, 1, 0, 1});
  const MetricValue found = testing::metric("BRAS").compute(sample.input());
  EXPECT_EQ(found.value, alone);
  ASSERT_EQ(found.labels.size(), 3U);
  EXPECT_EQ(found.labels[0].note, "");
  EXPECT_EQ(found.labels[1].note, "one_cell_per_batch");
  EXPECT_EQ(found.labels[2].note, "single_batch");
  EXPECT_TRUE(std::isnan(found.labels[1].value) && std::isnan(found.labels[2].value));
  EXPECT_TRUE(std::isnan(found.cells[60]) && std::isnan(found.cells[63]));
}

TEST(Bras, RowsWithoutADirectionAreNamedInTheNote) {
  Sample sample = gaussian_sample(30, 3, 2, 2, 0.5);
  for (const std::size_t row : {4UL, 7UL})
    for (std::size_t dim = 0; dim < 3; ++dim) sample.x[row * 3 + dim] = 0;
  const MetricValue found = testing::metric("BRAS").compute(sample.input());
  EXPECT_TRUE(std::isnan(found.value));
  EXPECT_EQ(found.note,
            "bras_definition=cosine_mean_other;metric_failed=ValueError:BRAS cosine distance is undefined for "
            "zero_norm_rows=2");
}

TEST(Bras, UndefinedGroupsHaveTheirReason) {
  Sample one_batch = gaussian_sample(30, 3, 2, 1, 0);
  EXPECT_EQ(testing::metric("BRAS").compute(one_batch.input()).note,
            "insufficient_batches;bras_definition=cosine_mean_other");
  MetricInput no_column = one_batch.input();
  no_column.batches = nullptr;
  EXPECT_EQ(testing::metric("BRAS").compute(no_column).note, "insufficient_batches;bras_definition=cosine_mean_other");
  Sample one_cell;
  one_cell.add("a", "one", {1, 2});
  EXPECT_EQ(testing::metric("BRAS").compute(one_cell.input()).note,
            "insufficient_cells;bras_definition=cosine_mean_other");
  Sample no_label_left;
  no_label_left.add("a", "one", {1, 2});
  no_label_left.add("b", "two", {2, 1});
  const MetricValue found = testing::metric("BRAS").compute(no_label_left.input());
  EXPECT_TRUE(std::isnan(found.value));
  EXPECT_NE(found.note.find("metric_failed=ValueError:"), std::string::npos);
}

TEST(Bras, SameBytesForAnyNumberOfWorkers) {
  Sample sample = gaussian_sample(900, 9, 4, 3, 0.5);
  testing::expect_independent_of_workers(testing::metric("BRAS"), sample.input());
}

}  // namespace
}  // namespace scvet::metrics
