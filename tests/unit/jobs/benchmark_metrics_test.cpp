// The bio metrics and cluster labels against the peer's values and an independent float64 computation.
#include <gtest/gtest.h>

#include <sstream>

#include "benchmark_vectors.h"
#include "scvet/metrics/clusters.h"

namespace scvet::jobs {
namespace testing = scvet::testing;
namespace {

using nlohmann::json;
using scvet::testing::benchmark_expected;
using scvet::testing::BenchmarkCells;
using scvet::testing::score;

const std::vector<std::string> kAgreement{"NMI", "HOM", "COM", "FMI", "ARI"};
const std::vector<std::string> kClusterFree{"ASW", "cLISI", "Acc@kNN", "GC"};

class BioMetrics : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { SKIP_WITHOUT_BENCHMARK_VECTORS(); }
};

double tolerance_of(const std::string& metric, std::int64_t n_cells) {
  if (metric == "ASW") return 1e-9;
  if (metric == "cLISI") return 1e-4;
  if (metric == "Acc@kNN") return 1 / static_cast<double>(n_cells);
  return .002;
}

// The labels that the peer wrote, by "leiden" or "kmeans".
std::vector<std::int32_t> peer_clusters(const std::string& embedding, const std::string& kind,
                                        const BenchmarkCells& cells) {
  const std::string method = embedding.substr(0, embedding.find('/')), sample = embedding.substr(method.size() + 1);
  std::istringstream file(read_file(scvet::testing::benchmark_folder() +
                                    "/expected/tables/benchmark/bio_conservation_" +
                                    (kind == "leiden" ? "leiden_" : "") + "predictions/" + method + "/" + sample + "_" +
                                    method + "_" + kind + "_labels.tsv"));
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line, "sample_id\tmethod\tbarcode\ttrue_label\t" + kind + "_label");
  std::vector<std::int32_t> clusters;
  for (std::size_t cell = 0; std::getline(file, line); ++cell) {
    std::istringstream fields(line);
    std::string field;
    for (int skipped = 0; skipped < 3; ++skipped) std::getline(fields, field, '\t');
    EXPECT_EQ(field, cells.names[cell]);
    std::getline(fields, field, '\t');
    EXPECT_EQ(field, cells.labels.names[static_cast<std::size_t>(cells.labels.of_cell[cell])]);
    std::getline(fields, field, '\t');
    clusters.push_back(std::stoi(field));
  }
  return clusters;
}

void expect_near(const json& expected, double value, double tolerance, const std::string& what) {
  if (expected.is_null())
    EXPECT_TRUE(std::isnan(value)) << what;
  else
    EXPECT_NEAR(value, expected.get<double>(), tolerance) << what;
}

TEST_P(BioMetrics, ClusterFreeValuesAreThePeersAndTheExactOnes) {
  const std::string name = GetParam();
  const json run = benchmark_expected("benchmark.json")["runs"][name];
  BenchmarkCells cells;
  cells.read(name);
  for (const std::string& metric : kClusterFree) {
    const metrics::MetricValue found = score(metric, cells.input());
    const json& peer = run["bio_conservation_leiden"][metric];
    expect_near(run["exact_float64"][metric], found.value, 1e-9, metric);
    expect_near(peer["value"], found.value, tolerance_of(metric, cells.n_cells()), metric);
    EXPECT_EQ(found.note, peer["note"].get<std::string>()) << metric;
  }
}

TEST_P(BioMetrics, AgreementGivenThePeersLabelsIsThePeers) {
  const std::string name = GetParam();
  const json run = benchmark_expected("benchmark.json")["runs"][name];
  BenchmarkCells cells;
  cells.read(name);
  for (const char* kind : {"leiden", "kmeans"}) {
    const auto clusters = peer_clusters(name, kind, cells);
    metrics::MetricInput input = cells.input();
    input.clusters = clusters;
    for (const std::string& metric : kAgreement)
      expect_near(run[kind == std::string("leiden") ? "bio_conservation_leiden" : "bio_conservation"][metric]["value"],
                  score(metric, input).value, 1e-9, metric);
  }
}

INSTANTIATE_TEST_SUITE_P(Published, BioMetrics,
                         ::testing::Values("pca/synth3b", "pca/synth1b", "pca/pbmc68k", "shipped/pbmc68k",
                                           "harmonypy/synth3b"));

class BioEdges : public BioMetrics {};

// `all_identical`: graph connectivity depends on the order of ties alone, so only the exact value is comparable.
TEST_P(BioEdges, ClusterFreeValuesAreThePeersAndTheExactOnes) {
  const std::string name = GetParam();
  const json run = benchmark_expected("edge.json")["cases"][name];
  BenchmarkCells cells;
  cells.read("edge/" + name, false);
  for (const std::string& metric : kClusterFree) {
    const metrics::MetricValue found = score(metric, cells.input());
    const json& peer = run["bio_conservation_leiden"][metric];
    EXPECT_EQ(peer["n_cells"], cells.n_cells());
    expect_near(run["exact_float64"][metric], found.value, 1e-9, metric);
    if (name == std::string("all_identical") && metric == "GC") continue;
    expect_near(peer["value"], found.value, tolerance_of(metric, cells.n_cells()), metric);
    // The peer leaves the note of an undefined cLISI empty; a missing value without a reason is a fault with us.
    const bool reason_is_ours = metric == "cLISI" && std::isnan(found.value);
    EXPECT_EQ(found.note, reason_is_ours ? "insufficient_labels" : peer["note"].get<std::string>()) << metric;
  }
}

INSTANTIATE_TEST_SUITE_P(Published, BioEdges,
                         ::testing::Values("all_identical", "constant_dim", "duplicates", "rare_and_unlabelled",
                                           "single_batch", "single_label", "tiny40", "zero_row"));

class OwnClusters : public BioMetrics {};

// Other seeds of the peer reach other partitions: theirs are the range, widened by its own width on both sides.
void expect_within_seeds(const json& seeds, const std::string& metric, double value) {
  double low = 1, high = -1;
  for (const json& seed : seeds) {
    low = std::min(low, seed[metric].get<double>());
    high = std::max(high, seed[metric].get<double>());
  }
  const double room = high - low;
  EXPECT_GE(value, low - room) << metric;
  EXPECT_LE(value, high + room) << metric;
}

graph::WeightedGraph leiden_graph(const BenchmarkCells& cells) {
  const auto lists = graph::exact_neighbours(cells.view(), 15);
  return graph::fuzzy_graph(lists, lists.k);
}

TEST_P(OwnClusters, TheLeidenScanIsWithinTheSpreadOfThePeersSeeds) {
  const std::string name = GetParam();
  BenchmarkCells cells;
  cells.read(name);
  const auto found = metrics::leiden_scan(leiden_graph(cells), cells.labels, metrics::LeidenSelection::kMatchLabels);
  metrics::MetricInput input = cells.input();
  input.clusters = found.cluster;
  const json seeds = benchmark_expected("leiden_seeds.json");
  for (const std::string& metric : kAgreement) {
    expect_within_seeds(seeds[name]["leiden"], metric, score(metric, input).value);
  }
}

// At the resolution of the peer's choice, on our graph: its partition and ours are of one quality.
TEST_P(BioMetrics, LeidenIsAsGoodAPartitionAsThePeers) {
  const std::string name = GetParam();
  BenchmarkCells cells;
  cells.read(name);
  const auto peer = peer_clusters(name, "leiden", cells);
  const auto note =
      benchmark_expected("benchmark.json")["runs"][name]["bio_conservation_leiden"]["NMI"]["note"].get<std::string>();
  const double resolution = std::stod(note.substr(note.find("resolution=") + std::string("resolution=").size()));
  const graph::WeightedGraph fuzzy = leiden_graph(cells);
  const double quality = graph::modularity(fuzzy, peer, resolution);
  for (const std::uint64_t seed : {0, 1, 2}) {
    const auto own = graph::leiden(fuzzy, std::span(&resolution, 1), {.seed = seed}).front();
    EXPECT_NEAR(own.modularity, quality, .01) << seed;
    EXPECT_NEAR(own.n_clusters, *std::max_element(peer.begin(), peer.end()) + 1, 1) << seed;
  }
}

TEST_P(OwnClusters, KMeansIsWithinTheSpreadOfThePeersSeeds) {
  const std::string name = GetParam();
  BenchmarkCells cells;
  cells.read(name);
  const auto found = metrics::kmeans_clusters(cells.view(), cells.labels);
  EXPECT_EQ(found.n_clusters, cells.labels.size());
  metrics::MetricInput input = cells.input();
  input.clusters = found.cluster;
  const json seeds = benchmark_expected("leiden_seeds.json");
  for (const std::string& metric : kAgreement) {
    expect_within_seeds(seeds[name]["kmeans"], metric, score(metric, input).value);
  }
}

INSTANTIATE_TEST_SUITE_P(Published, OwnClusters, ::testing::Values("pca/synth3b", "pca/pbmc68k"));

// Sum of squared distances to the means of the clusters.
double inertia(MatrixView<const float> x, const std::vector<std::int32_t>& clusters) {
  const auto k = static_cast<std::size_t>(*std::max_element(clusters.begin(), clusters.end()) + 1);
  const auto d = static_cast<std::size_t>(x.cols);
  std::vector<double> means(k * d, 0.0), counts(k, 0.0);
  for (std::size_t cell = 0; cell < clusters.size(); ++cell) {
    ++counts[static_cast<std::size_t>(clusters[cell])];
    for (std::size_t col = 0; col < d; ++col)
      means[static_cast<std::size_t>(clusters[cell]) * d + col] += static_cast<double>(x.data[cell * d + col]);
  }
  double sum = 0;
  for (std::size_t cell = 0; cell < clusters.size(); ++cell)
    for (std::size_t col = 0; col < d; ++col) {
      const auto own = static_cast<std::size_t>(clusters[cell]);
      const double difference = static_cast<double>(x.data[cell * d + col]) - means[own * d + col] / counts[own];
      sum += difference * difference;
    }
  return sum;
}

// Ten restarts are a draw: on these data seeds differ by up to 0.5 % of the inertia, the peer's no less than ours.
TEST_P(BioMetrics, KMeansInertiaIsThatOfThePeersLabels) {
  const std::string name = GetParam();
  BenchmarkCells cells;
  cells.read(name);
  const double peer = inertia(cells.view(), peer_clusters(name, "kmeans", cells));
  double least = std::numeric_limits<double>::infinity();
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    const double own = metrics::kmeans_clusters(cells.view(), cells.labels, seed).inertia;
    EXPECT_LE(own, peer * 1.01) << seed;
    least = std::min(least, own);
  }
  EXPECT_LE(least, peer * 1.001);
}

}  // namespace
}  // namespace scvet::jobs
