#include "kbet.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "batch_sample.h"
#include "kbet_diffusion.h"
#include "scvet/numeric/principal_components.h"

namespace scvet::metrics {
namespace {

using testing::Sample;

void connect(Sample& sample, const MetricInput& input) {
  sample.neighbours = graph::exact_neighbours(input.x, 50);
  sample.fuzzy = graph::fuzzy_graph(sample.neighbours, 50);
}

MetricInput connected(Sample& sample) {
  MetricInput input = sample.input();
  connect(sample, input);
  input.neighbours = &sample.neighbours;
  input.fuzzy = &sample.fuzzy;
  return input;
}

// Weight 1 along a ring of `size` cells for each of `sizes`.
graph::WeightedGraph rings(const std::vector<std::uint32_t>& sizes) {
  graph::WeightedGraph made;
  std::uint32_t first = 0;
  for (const std::uint32_t size : sizes) {
    for (std::uint32_t at = 0; at < size; ++at) {
      std::vector<std::uint32_t> both = {first + (at + 1) % size, first + (at + size - 1) % size};
      std::sort(both.begin(), both.end());
      made.cells.insert(made.cells.end(), both.begin(), both.end());
      made.weights.insert(made.weights.end(), 2, 1.0F);
      made.indptr.push_back(static_cast<std::int64_t>(made.cells.size()));
    }
    first += size;
  }
  made.n_cells = first;
  return made;
}

LabelBatches alternating(std::int64_t n_cells, int n_batches) {
  LabelBatches label;
  label.batch_cells.assign(static_cast<std::size_t>(n_batches), 0);
  for (std::int64_t cell = 0; cell < n_cells; ++cell) {
    label.cells.push_back(cell);
    label.batch.push_back(static_cast<std::int32_t>(cell % n_batches));
    ++label.batch_cells[static_cast<std::size_t>(cell % n_batches)];
  }
  return label;
}

// Squared distances between all cells from every eigenpair of the whole matrix, by another solver.
std::vector<double> naive_squared_distances(const graph::WeightedGraph& graph) {
  const auto n = static_cast<std::size_t>(graph.n_cells);
  std::vector<double> matrix(n * n, 0.0), q(n, 0.0), z(n, 0.0);
  for (std::size_t row = 0; row < n; ++row)
    for (auto at = static_cast<std::size_t>(graph.indptr[row]); at < static_cast<std::size_t>(graph.indptr[row + 1]);
         ++at)
      matrix[row * n + graph.cells[at]] = static_cast<double>(graph.weights[at]);
  for (std::size_t row = 0; row < n; ++row)
    for (std::size_t col = 0; col < n; ++col) q[col] += matrix[row * n + col];
  for (std::size_t row = 0; row < n; ++row)
    for (std::size_t col = 0; col < n; ++col) z[col] += matrix[row * n + col] /= q[row] * q[col];
  for (std::size_t row = 0; row < n; ++row)
    for (std::size_t col = 0; col < n; ++col) matrix[row * n + col] /= std::sqrt(z[row]) * std::sqrt(z[col]);
  const numeric::Eigen all = numeric::symmetric_eigen({matrix.data(), graph.n_cells, graph.n_cells});
  std::vector<double> distances(n * n, 0.0);
  for (std::size_t pair = 0; pair < n; ++pair) {
    const double lambda = all.values[pair];
    const double factor = std::fabs(1 - lambda) < 1e-6 ? 1 : lambda / (1 - lambda);
    for (std::size_t one = 0; one < n; ++one)
      for (std::size_t other = 0; other < n; ++other) {
        const double gap = factor * (all.vectors[pair * n + one] - all.vectors[pair * n + other]);
        distances[one * n + other] += gap * gap;
      }
  }
  return distances;
}

TEST(DiffusionCoordinates, AllPairsGiveTheDistancesOfTheWholeMatrix) {
  Sample sample = testing::gaussian_sample(120, 4, 1, 2, 0.5);
  connect(sample, sample.input());
  for (const graph::WeightedGraph& graph : {sample.fuzzy, rings({30, 40})}) {
    const auto n = static_cast<std::size_t>(graph.n_cells);
    const std::vector<double> coordinates = diffusion_coordinates(graph, graph.n_cells);
    const std::vector<double> naive = naive_squared_distances(graph);
    ASSERT_EQ(coordinates.size(), n * n);
    for (std::size_t one = 0; one < n; ++one)
      for (std::size_t other = 0; other < n; ++other) {
        double sum = 0;
        for (std::size_t at = 0; at < n; ++at) {
          const double gap = coordinates[one * n + at] - coordinates[other * n + at];
          sum += gap * gap;
        }
        ASSERT_NEAR(sum, naive[one * n + other], 1e-9 * std::max(1.0, sum));
      }
  }
}

// Two batches of equal share, 4 entries: (4, 0) has (4 - 2)^2 / 2 twice, (3, 1) has 1, (2, 2) has 0.
TEST(KbetPValues, ByHand) {
  KbetLabel label;
  label.batch = {0, 0, 0, 0, 1, 1, 1, 1};
  label.share = {0.5, 0.5};
  graph::Neighbours lists{.n_cells = 3, .k = 4, .cells = {0, 1, 2, 3, 0, 1, 2, 4, 0, 1, 4, 5}, .distances = {}};
  const std::vector<double> p = kbet_p_values(lists, label);
  EXPECT_NEAR(p[0], std::erfc(std::sqrt(4.0 / 2)), 1e-14);
  EXPECT_NEAR(p[1], std::erfc(std::sqrt(1.0 / 2)), 1e-14);
  EXPECT_EQ(p[2], 1);
}

TEST(KbetComponents, AreResetForEachLabelOrCarriedOver) {
  std::vector<KbetLabel> labels(5);
  const std::vector<std::size_t> sizes = {500, 13, 0, 60, 101};  // 0: got no graph
  for (std::size_t at = 0; at < sizes.size(); ++at) labels[at].cells.resize(sizes[at]);
  EXPECT_EQ(kbet_components(labels, KbetLimit::kReset), (std::vector<std::int64_t>{100, 12, 0, 59, 100}));
  EXPECT_EQ(kbet_components(labels, KbetLimit::kPeer), (std::vector<std::int64_t>{100, 12, 0, 12, 12}));
}

TEST(KbetLabel, NeighboursAreAQuarterOfTheMeanBatchWithinBounds) {
  EXPECT_EQ(kbet_label(alternating(100, 2), rings({100})).n_neighbours, 12);  // floor(50 / 4)
  EXPECT_EQ(kbet_label(alternating(30, 2), rings({30})).n_neighbours, 10);
  EXPECT_EQ(kbet_label(alternating(900, 3), rings({900})).n_neighbours, 70);
}

TEST(KbetLabel, SmallPiecesAreLeftOut) {
  const KbetLabel whole = kbet_label(alternating(20, 2), rings({20}));
  EXPECT_EQ(whole.reason, "");
  EXPECT_EQ(whole.cells.size(), 20U);  // one piece is kept whatever its size
  const KbetLabel most = kbet_label(alternating(70, 2), rings({60, 10}));
  EXPECT_EQ(most.reason, "");
  EXPECT_EQ(most.cells.size(), 60U);
  EXPECT_EQ(most.graph.n_cells, 60);
  const KbetLabel pieces = kbet_label(alternating(70, 2), rings({45, 25}));
  EXPECT_EQ(pieces.decided, 0);
  EXPECT_EQ(pieces.reason, "in_pieces;cells_in_large_pieces=45");
}

TEST(KbetLabel, PiecesOfOneBatchScoreZero) {
  LabelBatches label = alternating(50, 2);
  label.batch_cells = {40, 10};
  for (std::size_t cell = 0; cell < 50; ++cell) label.batch[cell] = cell < 40 ? 0 : 1;
  const KbetLabel made = kbet_label(label, rings({40, 10}));
  EXPECT_EQ(made.decided, 0);
  EXPECT_EQ(made.reason, "large_pieces_hold_a_single_batch");
}

TEST(KbetLabel, TooFewCellsOrOneBatchAreSkipped) {
  EXPECT_TRUE(std::isnan(kbet_label(alternating(9, 2), rings({9})).decided));
  EXPECT_EQ(kbet_label(alternating(9, 2), rings({9})).reason, "fewer_than_10_cells");
  EXPECT_EQ(kbet_label(alternating(40, 1), rings({40})).reason, "single_batch");
}

// One label of 90 cells has 89 of its 90 pairs; the last is the least, far below the others' weight.
TEST(Kbet, EqualsTheNaiveOneOnAllPairs) {
  Sample sample = testing::gaussian_sample(90, 5, 1, 3, 0.8);
  const MetricInput input = connected(sample);
  const MetricValue found = testing::metric("kBET").compute(input);
  const std::vector<double> distances = naive_squared_distances(sample.fuzzy);
  const std::int64_t k = std::max<std::int64_t>(10, 90 / 12) + 1;
  const std::vector<std::int64_t> counts = sample.batches.counts();
  double accepted = 0;
  for (std::size_t cell = 0; cell < 90; ++cell) {
    std::vector<std::size_t> order(90);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return (a == cell ? -1 : distances[cell * 90 + a]) < (b == cell ? -1 : distances[cell * 90 + b]);
    });
    std::vector<double> observed(3, 0.0);
    for (std::int64_t at = 0; at < k; ++at)
      ++observed[static_cast<std::size_t>(sample.batches.of_cell[order[static_cast<std::size_t>(at)]])];
    double statistic = 0;
    for (std::size_t batch = 0; batch < 3; ++batch) {
      const double expected = static_cast<double>(k * counts[batch]) / 90;
      statistic += (observed[batch] - expected) * (observed[batch] - expected) / expected;
    }
    const bool kept = std::exp(-statistic / 2) >= 0.05;  // two degrees of freedom
    EXPECT_EQ(found.cells[cell], kept ? 1 : 0) << cell;
    accepted += kept;
  }
  EXPECT_GT(accepted, 0);
  EXPECT_LT(accepted, 90);
  EXPECT_DOUBLE_EQ(found.value, accepted / 90);
}

TEST(Kbet, ABrokenLabelDoesNotCostTheOthers) {
  Sample sample = testing::gaussian_sample(600, 5, 3, 2, 0.3);
  MetricInput input = connected(sample);
  const MetricValue whole = testing::metric("kBET").compute(input);
  graph::WeightedGraph broken = sample.fuzzy;
  for (std::size_t cell = 0; cell < 600; ++cell)
    if (sample.labels.of_cell[cell] == 1)
      for (auto at = broken.indptr[cell]; at < broken.indptr[cell + 1]; ++at)
        broken.weights[static_cast<std::size_t>(at)] = std::numeric_limits<float>::quiet_NaN();
  input.fuzzy = &broken;
  const MetricValue found = testing::metric("kBET").compute(input);
  EXPECT_EQ(found.labels[0].value, whole.labels[0].value);
  EXPECT_EQ(found.labels[2].value, whole.labels[2].value);
  EXPECT_TRUE(std::isnan(found.labels[1].value));
  EXPECT_EQ(found.labels[1].note.rfind("metric_failed=", 0), 0U);
  EXPECT_EQ(found.note, "partial;failed_labels=1");
  EXPECT_DOUBLE_EQ(found.value, (whole.labels[0].value + whole.labels[2].value) / 2);
}

TEST(Kbet, MixedBatchesPassAndSeparateOnesFail) {
  Sample mixed = testing::gaussian_sample(800, 5, 2, 2, 0.0);
  EXPECT_GT(testing::metric("kBET").compute(connected(mixed)).value, 0.85);
  Sample separate = testing::gaussian_sample(800, 5, 2, 2, 4.0);
  EXPECT_LT(testing::metric("kBET").compute(connected(separate)).value, 0.1);
}

TEST(Kbet, SameBytesForAnyNumberOfWorkers) {
  Sample sample = testing::gaussian_sample(700, 5, 4, 3, 0.5);
  testing::expect_independent_of_workers(testing::metric("kBET"), connected(sample));
}

TEST(Kbet, UndefinedHasAReason) {
  Sample one_batch = testing::gaussian_sample(80, 3, 2, 1, 0);
  EXPECT_EQ(testing::metric("kBET").compute(connected(one_batch)).note, "insufficient_batches");
  Sample small;
  for (int cell = 0; cell < 60; ++cell)
    small.add("label " + std::to_string(cell / 6), cell % 2 ? "1" : "2", {static_cast<float>(cell), 0.0F});
  const MetricValue found = testing::metric("kBET").compute(connected(small));
  EXPECT_TRUE(std::isnan(found.value));
  EXPECT_EQ(found.note, "no_label_with_10_cells_in_two_batches");
}

}  // namespace
}  // namespace scvet::metrics
