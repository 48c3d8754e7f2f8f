#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "benchmark_vectors.h"
#include "scvet/metrics/batch_subsample.h"

namespace scvet::metrics {
namespace {

using nlohmann::json;
using scvet::testing::benchmark_expected;
using scvet::testing::BenchmarkCells;
using scvet::testing::score;
namespace testing = scvet::testing;

const std::vector<std::string> kEmbeddings = {"pca/synth3b", "pca/pbmc68k", "harmonypy/synth3b", "shipped/pbmc68k"};

// Of the peer's values: section 11 of the specification.
const std::vector<std::pair<std::string, double>> kPeerTolerance = {
    {"BRAS", 1e-5}, {"iLISI", 1e-3}, {"CiLISI", 1e-4}, {"kBET", 0.01}};

MetricValue kbet(const BenchmarkCells& cells, KbetLimit limit) {
  MetricInput input = cells.input();
  input.kbet_limit = limit;
  return score("kBET", input);
}

void expect_exact_kbet(const BenchmarkCells& cells, const json& exact) {
  for (const KbetLimit limit : {KbetLimit::kReset, KbetLimit::kPeer}) {
    const std::string variant = limit == KbetLimit::kPeer ? "trivial=one,leak=True" : "trivial=one,leak=False";
    SCOPED_TRACE(variant);
    const MetricValue found = kbet(cells, limit);
    EXPECT_NEAR(found.value, exact["kBET[" + variant + "]"].get<double>(), 1e-9);
    const json& of_label = exact["kBET_per_label"][variant];
    ASSERT_EQ(found.labels.size(), of_label.size());
    for (const LabelValue& label : found.labels) {
      const std::string& name = cells.labels.names[static_cast<std::size_t>(label.label)];
      if (of_label[name].is_null())
        EXPECT_TRUE(std::isnan(label.value) && !label.note.empty()) << name;
      else
        EXPECT_NEAR(label.value, of_label[name].get<double>(), 1e-9) << name;
    }
  }
}

void expect_exact(const BenchmarkCells& cells, const json& exact) {
  for (const char* name : {"BRAS", "iLISI", "CiLISI"}) {
    if (!exact.contains(name) || exact[name].is_null()) continue;
    EXPECT_NEAR(score(name, cells.input()).value, exact[name].get<double>(), 1e-9) << name;
  }
  if (exact.contains("kBET[trivial=one,leak=True]")) expect_exact_kbet(cells, exact);
}

void expect_peer(const BenchmarkCells& cells, const json& table) {
  for (const auto& [name, tolerance] : kPeerTolerance) {
    const MetricValue found = name == "kBET" ? kbet(cells, KbetLimit::kPeer) : score(name, cells.input());
    const json& row = table[name];
    EXPECT_EQ(found.note, row["note"].is_null() ? "" : row["note"].get<std::string>()) << name;
    if (row["value"].is_null())
      EXPECT_TRUE(std::isnan(found.value)) << name;
    else
      EXPECT_NEAR(found.value, row["value"].get<double>(), tolerance) << name;
  }
}

TEST(BenchmarkBatchMetrics, EqualTheExactAndThePeersValues) {
  SKIP_WITHOUT_BENCHMARK_VECTORS();
  const json runs = benchmark_expected("benchmark.json")["runs"];
  for (const std::string& embedding : kEmbeddings) {
    SCOPED_TRACE(embedding);
    BenchmarkCells cells;
    cells.read(embedding);
    expect_exact(cells, runs[embedding]["exact_float64"]);
    expect_peer(cells, runs[embedding]["batch_mixing_leiden"]);
  }
}

TEST(BenchmarkBatchMetrics, EqualThePeersOnEdgeCases) {
  SKIP_WITHOUT_BENCHMARK_VECTORS();
  const json cases = benchmark_expected("edge.json")["cases"];
  for (const auto& [name, expected] : cases.items()) {
    if (name == "nan_entry" || name == "all_identical") continue;  // an error before any metric; order of ties
    SCOPED_TRACE(name);
    BenchmarkCells cells;
    cells.read("edge/" + name);
    expect_exact(cells, expected["exact_float64"]);
    expect_peer(cells, expected["batch_mixing_leiden"]);
  }
}

// kBET is left out: with every distance 0 the graph's eigenvectors are rounding.
TEST(BenchmarkBatchMetrics, IdenticalCellsHaveTheExactValues) {
  SKIP_WITHOUT_BENCHMARK_VECTORS();
  BenchmarkCells cells;
  cells.read("edge/all_identical");
  json exact = benchmark_expected("edge.json")["cases"]["all_identical"]["exact_float64"];
  exact.erase("kBET[trivial=one,leak=True]");
  expect_exact(cells, exact);
}

TEST(BenchmarkBatchMetrics, SubsampleIsThePeers) {
  SKIP_WITHOUT_BENCHMARK_VECTORS();
  const json table = benchmark_expected("batch_subsample.json")["pca/synth3b"];
  BenchmarkCells cells;
  cells.read("pca/synth3b");
  const BatchSubsample sample = batch_subsample(cells.labels, cells.batches, 1000);
  EXPECT_EQ(sample.note, table["kBET"]["note"].get<std::string>());
  cells.keep(sample.cells);
  for (const auto& [name, tolerance] : kPeerTolerance) {
    const MetricValue found = name == "kBET" ? kbet(cells, KbetLimit::kPeer) : score(name, cells.input());
    EXPECT_NEAR(found.value, table[name]["value"].get<double>(), tolerance) << name;
    EXPECT_EQ(sample.note + (found.note.empty() ? "" : ";" + found.note), table[name]["note"].get<std::string>());
  }
}

}  // namespace
}  // namespace scvet::metrics
