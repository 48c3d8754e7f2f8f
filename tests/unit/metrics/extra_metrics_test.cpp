#include <gtest/gtest.h>

#include <cmath>

#include "batch_sample.h"

namespace scvet::metrics {
namespace {

using testing::Sample;

// Labels a and b in both batches, c in one.
Sample three_labels() {
  Sample sample;
  sample.add("a", "1", {0, 0});
  sample.add("a", "2", {0, 1});
  sample.add("b", "1", {5, 0});
  sample.add("b", "2", {5, 1});
  sample.add("c", "1", {0, 10});
  sample.add("c", "1", {0, 11});
  return sample;
}

// c alone is isolated. Its cells: a = 1; b = mean distance to label a, (10 + 9) / 2 and (11 + 10) / 2.
TEST(IsolatedAsw, OnlyIsolatedCellsCount) {
  Sample sample = three_labels();
  const MetricValue found = testing::metric("isolated_asw").compute(sample.input());
  const double first = (1 + (9.5 - 1) / 9.5) / 2, second = (1 + (10.5 - 1) / 10.5) / 2;
  EXPECT_NEAR(found.value, (first + second) / 2, 1e-12);
  EXPECT_NEAR(found.cells[4], first, 1e-12);
  EXPECT_TRUE(std::isnan(found.cells[0]));
  ASSERT_EQ(found.labels.size(), 3U);
  EXPECT_EQ(found.labels[0].note, "not_isolated");
  EXPECT_EQ(found.labels[2].note, "");
}

// Cluster 1 holds c's two cells and one of b: F1 = 2 * 2 / (2 + 3).
TEST(IsolatedF1, IsThatOfTheBestCluster) {
  Sample sample = three_labels();
  const std::vector<std::int32_t> clusters = {0, 0, 0, 1, 1, 1};
  MetricInput input = sample.input();
  input.clusters = clusters;
  const MetricValue found = testing::metric("isolated_f1").compute(input);
  EXPECT_NEAR(found.value, 4.0 / 5, 1e-15);
  EXPECT_TRUE(std::isnan(found.labels[1].value));
}

TEST(IsolatedF1, EveryLabelIsIsolatedWhereAllAreInAsManyBatches) {
  Sample sample;
  for (const char* label : {"a", "b"})
    for (const char* batch : {"1", "2"}) sample.add(label, batch, {0});
  const std::vector<std::int32_t> clusters = {0, 0, 1, 0};
  MetricInput input = sample.input();
  input.clusters = clusters;
  // a: cluster 0 has 3 cells, 2 of them a's: 4/5; b: the better of 2/5 and 2/3.
  EXPECT_NEAR(testing::metric("isolated_f1").compute(input).value, (4.0 / 5 + 2.0 / 3) / 2, 1e-15);
}

// One dimension explains it all in the pca (1, 1 against -1, -1: pcr 1), half of it in the embedding.
TEST(PcrComparison, ByHand) {
  Sample sample;
  sample.add("a", "1", {1, 1});
  sample.add("a", "1", {1, -1});
  sample.add("a", "2", {-1, 1});
  sample.add("a", "2", {-1, -1});
  const std::vector<float> pca = {1, 1, -1, -1};
  MetricInput input = sample.input();
  input.pca = {pca.data(), 4, 1};
  const MetricValue found = testing::metric("pcr_comparison").compute(input);
  EXPECT_NEAR(found.value, 0.5, 1e-15);
  EXPECT_EQ(found.note, "pcr=0.5;pcr_pre=1");
}

TEST(PcrComparison, SameEmbeddingScoresZeroAndMoreBatchVarianceToo) {
  Sample sample = testing::gaussian_sample(200, 3, 2, 3, 0.4);
  MetricInput input = sample.input();
  input.pca = input.x;
  EXPECT_EQ(testing::metric("pcr_comparison").compute(input).value, 0);
  Sample shifted = testing::gaussian_sample(200, 3, 2, 3, 4.0);
  input = shifted.input();
  const Sample before = testing::gaussian_sample(200, 3, 2, 3, 0.4);
  input.pca = {before.x.data(), 200, 3};
  EXPECT_EQ(testing::metric("pcr_comparison").compute(input).value, 0);
}

// A rotation changes no principal component's share.
TEST(PcrComparison, DoesNotSeeRotations) {
  Sample sample = testing::gaussian_sample(200, 2, 2, 3, 0.8);
  Sample turned = sample;
  for (std::size_t at = 0; at < turned.x.size(); at += 2) {
    const float x = sample.x[at], y = sample.x[at + 1];
    turned.x[at] = 0.6F * x - 0.8F * y;
    turned.x[at + 1] = 0.8F * x + 0.6F * y;
  }
  MetricInput input = turned.input();
  input.pca = {sample.x.data(), 200, 2};
  EXPECT_NEAR(testing::metric("pcr_comparison").compute(input).value, 0, 1e-6);
}

TEST(ExtraMetrics, NeedTwoBatches) {
  Sample sample = testing::gaussian_sample(60, 3, 2, 1, 0);
  for (const MetricRecord* record : metrics_of("extra")) {
    const MetricValue found = record->compute(sample.input());
    EXPECT_TRUE(std::isnan(found.value)) << record->name;
    EXPECT_EQ(found.note, "insufficient_batches") << record->name;
  }
}

TEST(PcrComparison, UndefinedHasAReason) {
  Sample sample = three_labels();
  MetricInput input = sample.input();
  EXPECT_EQ(testing::metric("pcr_comparison").compute(input).note, "no_pca_of_these_cells");
  const std::vector<float> equal(6, 1.0F);
  input.pca = {equal.data(), 6, 1};
  const MetricValue found = testing::metric("pcr_comparison").compute(input);
  EXPECT_TRUE(std::isnan(found.value));
  EXPECT_FALSE(found.note.empty());
}

}  // namespace
}  // namespace scvet::metrics
