#include <gtest/gtest.h>

#include <cmath>

#include "batch_sample.h"
#include "scvet/metrics/lisi.h"
#include "scvet/numeric/order_statistics.h"

namespace scvet::metrics {
namespace {

using testing::Sample;

MetricInput with_neighbours(Sample& sample) {
  MetricInput input = sample.input();
  sample.neighbours = graph::exact_neighbours(input.x, std::min<std::int64_t>(90, sample.n_cells() - 1));
  input.neighbours = &sample.neighbours;
  return input;
}

TEST(Ilisi, IsTheMedianOfTheScaledCells) {
  Sample sample = testing::gaussian_sample(300, 4, 3, 3, 0.5);
  const MetricInput input = with_neighbours(sample);
  const MetricValue found = testing::metric("iLISI").compute(input);
  const std::vector<double> values = lisi(sample.neighbours, sample.batches.of_cell, 3);
  EXPECT_NEAR(found.value, (numeric::median(values) - 1) / 2, 1e-14);
  EXPECT_NEAR(found.cells[7], (values[7] - 1) / 2, 1e-14);
  ASSERT_EQ(found.labels.size(), 3U);
  EXPECT_EQ(found.note, "");
}

// Cells in a tight square around each of far corners, one of each batch: all neighbours at about one distance.
TEST(Ilisi, SeparateBatchesScoreZeroAndEqualMixturesOne) {
  Sample apart, mixed;
  Stream stream(stream_key(3, 1));
  for (int cell = 0; cell < 400; ++cell) {
    const std::vector<float> row = {static_cast<float>(stream.unit()), static_cast<float>(stream.unit())};
    const std::string batch = cell % 2 ? "1" : "2";
    mixed.add("a", batch, row);
    apart.add("a", batch, {row[0] + (cell % 2 ? 100.0F : 0.0F), row[1]});
  }
  EXPECT_NEAR(testing::metric("iLISI").compute(with_neighbours(apart)).value, 0, 1e-9);
  EXPECT_NEAR(testing::metric("CiLISI").compute(with_neighbours(apart)).value, 0, 1e-9);
  EXPECT_GT(testing::metric("iLISI").compute(with_neighbours(mixed)).value, 0.9);
  EXPECT_GT(testing::metric("CiLISI").compute(with_neighbours(mixed)).value, 0.9);
}

// Each label on its own, as a data set of its own.
TEST(Cilisi, EqualsTheLabelsScoredApart) {
  Sample sample = testing::gaussian_sample(400, 4, 4, 3, 0.6);
  const MetricValue found = testing::metric("CiLISI").compute(sample.input());
  double sum = 0, count = 0;
  for (std::size_t label = 0; label < sample.labels.names.size(); ++label) {
    Sample part;
    std::vector<std::size_t> cells;
    for (std::size_t cell = 0; cell < 400; ++cell) {
      if (sample.label[cell] != sample.labels.names[label]) continue;
      cells.push_back(cell);
      part.add("all", sample.batch[cell],
               {sample.x.begin() + static_cast<std::ptrdiff_t>(cell) * 4,
                sample.x.begin() + static_cast<std::ptrdiff_t>(cell) * 4 + 4});
    }
    if (cells.size() < 10) continue;
    MetricInput input = part.input();
    const auto n = static_cast<std::int64_t>(cells.size());
    const std::int64_t perplexity = std::min<std::int64_t>(30, n - 1);
    const graph::Neighbours lists = graph::exact_neighbours(input.x, std::min(3 * perplexity, n - 1));
    const std::vector<double> values =
        lisi(lists, part.batches.of_cell, part.batches.size(), static_cast<double>(perplexity));
    for (std::size_t at = 0; at < cells.size(); ++at) {
      const double expected = std::clamp((values[at] - 1) / (part.batches.size() - 1), 0.0, 1.0);
      EXPECT_NEAR(found.cells[cells[at]], expected, 1e-14);
      sum += expected;
      ++count;
    }
  }
  EXPECT_NEAR(found.value, sum / count, 1e-13);
}

TEST(Cilisi, LabelsThatCannotBeScoredHaveAReason) {
  Sample sample;
  for (int cell = 0; cell < 12; ++cell) sample.add("scored", cell % 2 ? "1" : "2", {static_cast<float>(cell), 1.0F});
  for (int cell = 0; cell < 12; ++cell) sample.add("single batch", "1", {static_cast<float>(cell), 2.0F});
  for (int cell = 0; cell < 9; ++cell) sample.add("small", cell % 2 ? "1" : "2", {static_cast<float>(cell), 3.0F});
  const MetricValue found = testing::metric("CiLISI").compute(sample.input());
  ASSERT_EQ(found.labels.size(), 3U);
  EXPECT_EQ(found.value, found.labels[0].value);
  EXPECT_EQ(found.labels[1].note, "single_batch");
  EXPECT_EQ(found.labels[2].note, "fewer_than_10_cells");
  EXPECT_TRUE(std::isnan(found.cells[12]) && std::isnan(found.cells.back()));
}

TEST(Cilisi, NoLabelLeftHasAReason) {
  Sample sample;
  for (int cell = 0; cell < 8; ++cell) sample.add("a", cell % 2 ? "1" : "2", {static_cast<float>(cell)});
  const MetricValue found = testing::metric("CiLISI").compute(sample.input());
  EXPECT_TRUE(std::isnan(found.value));
  EXPECT_EQ(found.note, "no_label_with_10_cells_in_two_batches");
}

TEST(BatchLisi, SameBytesForAnyNumberOfWorkers) {
  Sample sample = testing::gaussian_sample(500, 4, 3, 3, 0.5);
  const MetricInput input = with_neighbours(sample);
  testing::expect_independent_of_workers(testing::metric("iLISI"), input);
  testing::expect_independent_of_workers(testing::metric("CiLISI"), input);
}

}  // namespace
}  // namespace scvet::metrics
