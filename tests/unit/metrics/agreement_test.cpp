#include "agreement.h"

#include <gtest/gtest.h>

#include <cmath>

#include "scvet/base/random.h"

namespace scvet::metrics {
namespace {

Groups labels_of(const std::vector<std::string>& texts) { return make_groups(texts); }

struct Drawn {
  Groups labels;
  std::vector<std::int32_t> clusters;
};
Drawn draw(std::uint64_t seed, std::int64_t n, std::uint64_t n_labels, std::uint64_t n_clusters) {
  Stream stream(seed);
  std::vector<std::string> texts;
  Drawn drawn;
  for (std::int64_t cell = 0; cell < n; ++cell) {
    const std::uint64_t label = stream.below(n_labels);
    texts.push_back(std::string(1, static_cast<char>('a' + label)));
    drawn.clusters.push_back(
        static_cast<std::int32_t>(stream.below(2) ? label % n_clusters : stream.below(n_clusters)));
  }
  drawn.labels = make_groups(texts);
  return drawn;
}

TEST(Agreement, WorkedByHand) {
  // a a a b b | clusters 0 0 1 1 1: counts 2 1 / 0 2
  const Contingency table = contingency(labels_of({"a", "a", "a", "b", "b"}), std::vector<std::int32_t>{0, 0, 1, 1, 1});
  EXPECT_EQ(table.cells, (std::vector<std::int64_t>{2, 1, 0, 2}));
  const double h_labels = -(0.6 * std::log(0.6) + 0.4 * std::log(0.4)), h_clusters = h_labels;
  const double information =
      0.4 * std::log(0.4 / (0.6 * 0.4)) + 0.2 * std::log(0.2 / (0.6 * 0.6)) + 0.4 * std::log(0.4 / (0.4 * 0.6));
  EXPECT_NEAR(nmi(table), 2 * information / (h_labels + h_clusters), 1e-15);
  EXPECT_NEAR(homogeneity(table), information / h_labels, 1e-15);
  EXPECT_NEAR(completeness(table), information / h_clusters, 1e-15);
  EXPECT_NEAR(fowlkes_mallows(table), 0.5, 1e-15);  // pairs: 2 in both, 4 of labels, 4 of clusters
  EXPECT_NEAR(adjusted_rand(table), (2 - 4 * 4 / 10.0) / (4 - 4 * 4 / 10.0), 1e-15);
}

// Pairs of cells counted one by one.
TEST(Agreement, PairScoresEqualCountingAllPairs) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Drawn drawn = draw(seed, 120, 4, 3);
    double tp = 0, fn = 0, fp = 0, tn = 0;
    for (std::size_t a = 0; a < 120; ++a)
      for (std::size_t b = a + 1; b < 120; ++b) {
        const bool label = drawn.labels.of_cell[a] == drawn.labels.of_cell[b];
        const bool cluster = drawn.clusters[a] == drawn.clusters[b];
        (label ? (cluster ? tp : fn) : (cluster ? fp : tn)) += 1;
      }
    const Contingency table = contingency(drawn.labels, drawn.clusters);
    EXPECT_NEAR(adjusted_rand(table), 2 * (tp * tn - fn * fp) / ((tp + fn) * (fn + tn) + (tp + fp) * (fp + tn)), 1e-12);
    EXPECT_NEAR(fowlkes_mallows(table), tp / std::sqrt((tp + fp) * (tp + fn)), 1e-12);
  }
}

TEST(Agreement, NmiIsTheHarmonicMeanOfHomogeneityAndCompleteness) {
  const Drawn drawn = draw(7, 200, 5, 4);
  const Contingency table = contingency(drawn.labels, drawn.clusters);
  const double h = homogeneity(table), c = completeness(table);
  EXPECT_NEAR(nmi(table), 2 * h * c / (h + c), 1e-12);
}

TEST(Agreement, OneGroupOnEitherSideIsDefined) {
  const Groups one = labels_of({"a", "a", "a", "a"}), two = labels_of({"a", "a", "b", "b"});
  const std::vector<std::int32_t> all{0, 0, 0, 0}, halves{0, 1, 0, 1};
  EXPECT_EQ(nmi(contingency(one, all)), 1);
  EXPECT_EQ(nmi(contingency(one, halves)), 0);
  EXPECT_EQ(nmi(contingency(two, all)), 0);
  EXPECT_EQ(nmi(contingency(two, halves)), 0) << "independent: the information is rounding noise";
  EXPECT_EQ(homogeneity(contingency(one, halves)), 1);
  EXPECT_EQ(homogeneity(contingency(two, all)), 0);
  EXPECT_EQ(completeness(contingency(two, all)), 1);
  EXPECT_EQ(completeness(contingency(one, halves)), 0);
  EXPECT_EQ(adjusted_rand(contingency(one, all)), 1);
  EXPECT_EQ(adjusted_rand(contingency(one, halves)), 0);
  EXPECT_EQ(fowlkes_mallows(contingency(two, halves)), 0) << "no pair is together in both";
}

TEST(Agreement, TheSamePartitionUnderOtherNumbersScoresOne) {
  const Groups labels = labels_of({"b", "a", "c", "a", "b", "c", "c"});
  const Contingency table = contingency(labels, std::vector<std::int32_t>{7, 2, 0, 2, 7, 0, 0});  // numbers with gaps
  for (const auto score : {nmi, homogeneity, completeness, fowlkes_mallows, adjusted_rand})
    EXPECT_NEAR(score(table), 1, 1e-15);
}

TEST(Agreement, PairsOfMillionsOfCellsDoNotOverflow) {
  Contingency table;
  table.n_cells = 4'000'000'000;
  table.n_clusters = 2;
  table.cells = {2'000'000'000, 0, 0, 2'000'000'000};
  table.labels = table.clusters = {2'000'000'000, 2'000'000'000};
  EXPECT_DOUBLE_EQ(adjusted_rand(table), 1);
  EXPECT_DOUBLE_EQ(fowlkes_mallows(table), 1);
}

TEST(Agreement, WithoutCellsOrClustersItIsUndefinedWithAReason) {
  const Groups labels = labels_of({"a", "b"});
  MetricInput input;
  input.labels = &labels;
  EXPECT_EQ(agreement(input, nmi).note, "no_clusters");
  EXPECT_TRUE(std::isnan(agreement(input, nmi).value));
  const Groups none;
  input.labels = &none;
  EXPECT_EQ(agreement(input, nmi).note, "insufficient_cells");
}

}  // namespace
}  // namespace scvet::metrics
