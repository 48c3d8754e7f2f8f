#include "scgraph.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "batch_sample.h"
#include "scvet/data/csr_matrix.h"

namespace scvet::metrics {
namespace {

const double kNaN = std::numeric_limits<double>::quiet_NaN();

// 40 values a label, two at each end cut: outliers there change nothing.
TEST(ScgraphDistances, MeansAreTrimmed) {
  std::vector<float> x;
  std::vector<std::int32_t> label;
  for (int cell = 0; cell < 80; ++cell) {
    label.push_back(cell / 40);
    x.push_back(cell % 40 < 2 ? -1e6F : cell % 40 > 37 ? 1e5F : static_cast<float>(cell / 40 * 3));
  }
  const std::vector<double> distances = scgraph_label_distances({x.data(), 80, 1}, label, 3);
  EXPECT_EQ(distances[0], 0);
  EXPECT_EQ(distances[1], 3);
  EXPECT_EQ(distances[3], 3);
  EXPECT_TRUE(std::isnan(distances[2]));  // no cell of the third label
}

TEST(ScgraphDistances, ColumnsAreScaledApart) {
  std::vector<double> distances = {0, 2, kNaN, 4, 0, kNaN, 1, 8, kNaN};
  scgraph_scale_columns(distances, 3);
  EXPECT_EQ(distances[3], 1);
  EXPECT_EQ(distances[6], 0.25);
  EXPECT_EQ(distances[1], 0.25);
  EXPECT_EQ(distances[7], 1);
  EXPECT_TRUE(std::isnan(distances[8]));
}

// Five labels along a line: each further gene of 40 is expressed tenfold in the labels beyond its place. `batches` of 120.
struct Line {
  testing::Sample sample;
  CsrMatrix counts;

  explicit Line(int n_batches) {
    Stream stream(stream_key(5, 1));
    counts.n_genes = 60;
    for (int cell = 0; cell < 120 * n_batches; ++cell) {
      const int label = cell % 5;
      for (std::uint32_t gene = 0; gene < 60; ++gene) {
        const double mean = gene < 40 && static_cast<int>(gene) / 10 < label ? 10 : 1;
        const auto count = static_cast<float>(std::floor(mean * (0.5 + stream.unit()) + stream.unit()));
        if (count == 0) continue;
        counts.genes.push_back(gene);
        counts.values.push_back(count);
      }
      counts.indptr.push_back(std::ssize(counts.genes));
      ++counts.n_cells;
      sample.add("label " + std::to_string(label), "batch " + std::to_string(cell / 120), {static_cast<float>(label)});
    }
  }
  MetricInput input() {
    MetricInput made = sample.input();
    made.counts = counts.view();
    return made;
  }
};

TEST(Scgraph, AnEmbeddingInTheOrderOfTheLabelsScoresHighAndABrokenOneLow) {
  Line line(2);
  std::vector<double> good, bad;
  for (const char* name : {"scgraph_corr", "scgraph_rank", "scgraph_weighted"})
    good.push_back(testing::metric(name).compute(line.input()).value);
  for (float& value : line.sample.x) value = static_cast<float>(static_cast<int>(2 * value) % 5);
  for (const char* name : {"scgraph_corr", "scgraph_rank", "scgraph_weighted"})
    bad.push_back(testing::metric(name).compute(line.input()).value);
  EXPECT_GT(good[0], 0.8);
  EXPECT_GT(good[1], 0.85);
  for (std::size_t at = 0; at < good.size(); ++at) EXPECT_GT(good[at], bad[at] + 0.2);
}

TEST(Scgraph, DistancesAreMadeOncePerInput) {
  Line line(2);
  const MetricInput input = line.input();
  testing::metric("scgraph_corr").compute(input);
  const auto made = input.scgraph;
  ASSERT_TRUE(made);
  testing::metric("scgraph_rank").compute(input);
  EXPECT_EQ(input.scgraph, made);
  MetricInput other = input;
  const std::vector<float> moved = line.sample.x;
  other.x.data = moved.data();
  testing::metric("scgraph_rank").compute(other);
  EXPECT_NE(other.scgraph, made);
}

TEST(Scgraph, UndefinedHasAReason) {
  Line line(2);
  MetricInput input = line.input();
  input.counts = {};
  EXPECT_EQ(testing::metric("scgraph_corr").compute(input).note, "no_counts_of_these_cells");
  for (std::size_t cell = 0; cell < line.sample.label.size(); ++cell) line.sample.label[cell] = cell % 2 ? "a" : "b";
  const MetricValue found = testing::metric("scgraph_corr").compute(line.input());
  EXPECT_TRUE(std::isnan(found.value));
  EXPECT_EQ(found.note, "fewer_than_three_labels_in_batches_of_100_cells");
}

TEST(Scgraph, SameBytesForAnyNumberOfWorkers) {
  Line line(3);
  for (const char* name : {"scgraph_corr", "scgraph_weighted"}) {
    set_workers(1);
    const double one = testing::metric(name).compute(line.input()).value;
    set_workers(3);
    EXPECT_EQ(testing::metric(name).compute(line.input()).value, one);
    set_workers(0);
  }
}

}  // namespace
}  // namespace scvet::metrics
