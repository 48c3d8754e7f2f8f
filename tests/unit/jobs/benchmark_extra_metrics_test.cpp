#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "benchmark_vectors.h"

namespace scvet::metrics {
namespace {

using nlohmann::json;
using scvet::testing::benchmark_expected;
using scvet::testing::benchmark_folder;
using scvet::testing::BenchmarkCells;
using scvet::testing::score;
namespace testing = scvet::testing;

constexpr double kTolerance = 1e-5;  // the packages compute in float32

// Clusters of the peer's table: the last column.
std::vector<std::int32_t> peer_clusters(const std::string& method, const std::string& sample) {
  std::ifstream table(benchmark_folder() + "/expected/tables/benchmark/bio_conservation_leiden_predictions/" + method +
                      "/" + sample + "_" + method + "_leiden_labels.tsv");
  std::vector<std::int32_t> clusters;
  std::string line;
  std::getline(table, line);
  while (std::getline(table, line)) clusters.push_back(std::stoi(line.substr(line.rfind('\t') + 1)));
  return clusters;
}

// One embedding with the counts and the pca of its cells.
struct ExtraCase {
  BenchmarkCells cells, pca;
  CsrMatrix counts;
  std::vector<std::int32_t> clusters;
  MetricInput input;

  explicit ExtraCase(const std::string& embedding) {
    const std::string method = embedding.substr(0, embedding.find('/'));
    const std::string sample = embedding.substr(embedding.find('/') + 1);
    cells.read(embedding);
    pca.read("pca/" + sample);
    const auto file = io::open_cells(benchmark_folder() + "/data/" + sample + ".h5ad");
    counts = read_csr(*file->open_matrix("X"));
    clusters = peer_clusters(method, sample);
    input = cells.input();
    input.pca = pca.view();
    input.counts = counts.view();
    input.clusters = clusters;
  }
};

class ExtraMetrics : public ::testing::TestWithParam<const char*> {};

TEST_P(ExtraMetrics, EqualThePackages) {
  SKIP_WITHOUT_BENCHMARK_VECTORS();
  const ExtraCase given(GetParam());
  const json expected = benchmark_expected("extra_metrics.json")[GetParam()];
  EXPECT_NEAR(score("isolated_asw", given.input).value, expected["isolated_asw_exact"].get<double>(), 1e-9);
  EXPECT_NEAR(score("isolated_asw", given.input).value, expected["isolated_asw"].get<double>(), kTolerance);
  EXPECT_NEAR(score("isolated_f1", given.input).value, expected["isolated_f1_mean"].get<double>(), 1e-12);
  EXPECT_NEAR(score("pcr_comparison", given.input).value, expected["pcr_comparison"].get<double>(), kTolerance);
  const double pre = expected["pcr_pre_exact"], post = expected["pcr_exact"];
  EXPECT_NEAR(score("pcr_comparison", given.input).value, std::max(0.0, (pre - post) / pre), 1e-9);
}

TEST_P(ExtraMetrics, IsolatedLabelsAreThePackages) {
  SKIP_WITHOUT_BENCHMARK_VECTORS();
  const ExtraCase given(GetParam());
  const json expected = benchmark_expected("extra_metrics.json")[GetParam()]["isolated_f1_given_leiden_labels"];
  std::size_t n_isolated = 0;
  for (const LabelValue& label : score("isolated_f1", given.input).labels) {
    if (std::isnan(label.value)) continue;
    ++n_isolated;
    const std::string& name = given.cells.labels.names[static_cast<std::size_t>(label.label)];
    ASSERT_TRUE(expected.contains(name)) << name;
    EXPECT_NEAR(label.value, expected[name].get<double>(), 1e-12) << name;
  }
  EXPECT_EQ(n_isolated, expected.size());
}

TEST_P(ExtraMetrics, ScgraphEqualsThePackage) {
  SKIP_WITHOUT_BENCHMARK_VECTORS();
  const ExtraCase given(GetParam());
  const json scgraph = benchmark_expected("extra_metrics.json")[GetParam()]["scgraph"];
  const MetricValue corr = score("scgraph_corr", given.input);
  EXPECT_NEAR(corr.value, scgraph["package"]["Corr-PCA"].get<double>(), kTolerance);
  EXPECT_NEAR(corr.value, scgraph["exact"]["corr"].get<double>(), kTolerance);
  EXPECT_NEAR(score("scgraph_rank", given.input).value, scgraph["package"]["Rank-PCA"].get<double>(), kTolerance);
  EXPECT_NEAR(score("scgraph_weighted", given.input).value, scgraph["package"]["Corr-Weighted"].get<double>(),
              kTolerance);
  std::int64_t n_labels = 0;
  for (const LabelValue& label : corr.labels) n_labels += !std::isnan(label.value);
  EXPECT_EQ(n_labels, scgraph["exact"]["n_labels"].get<std::int64_t>());
}

INSTANTIATE_TEST_SUITE_P(Published, ExtraMetrics,
                         ::testing::Values("pca/synth3b", "harmonypy/synth3b", "pca/pbmc68k", "shipped/pbmc68k"),
                         [](const auto& of) {
                           std::string name = of.param;
                           name[name.find('/')] = '_';
                           return name;
                         });

}  // namespace
}  // namespace scvet::metrics
