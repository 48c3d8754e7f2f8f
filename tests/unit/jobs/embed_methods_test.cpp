// The methods and what they stand on against published vectors, over files.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "scvet/base/files.h"
#include "scvet/data/csr_matrix.h"
#include "scvet/embed/method.h"
#include "scvet/io/format.h"
#include "scvet/numeric/principal_components_counts.h"
#include "scvet/numeric/variable_genes.h"

namespace scvet::jobs {
namespace {

using nlohmann::json;

const std::string kFolder = std::string(SCVET_REFERENCE_DIR) + "/benchmark/";

struct Sample {
  std::vector<std::string> cells, genes;
  CsrMatrix counts;
  Groups labels, batches;

  embed::MethodInput input(std::uint64_t seed) const {
    return {.counts = counts.view(),
            .cell_names = cells,
            .gene_names = genes,
            .labels = &labels,
            .batches = &batches,
            .seed = seed,
            .parameters = {}};
  }
};

Sample read_sample(const std::string& name) {
  const auto file = io::open_cells(kFolder + "data/" + name + ".h5ad");
  const auto x = file->open_matrix("X");
  Sample sample;
  sample.cells = file->obs().names;
  sample.genes = file->var().names;
  sample.counts = read_csr(*x);
  sample.labels = make_groups(*file->obs().find("cell_type"));
  sample.batches = make_groups(*file->obs().find("batch_id"));
  return sample;
}

json expected(const std::string& name) { return json::parse(read_file(kFolder + "expected/" + name)); }

class PublishedSample : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kFolder)) GTEST_SKIP() << "no " << kFolder;
  }
};

TEST_P(PublishedSample, KeepsTheGenesOfThePeerAndItsCutOff) {
  const Sample sample = read_sample(GetParam());
  const json run = expected("pca.json")["runs"][GetParam()];
  const auto found = numeric::dispersion_genes(sample.counts.view(), 2000);
  EXPECT_NEAR(found.cut_off, run["cutoff_dispersions_norm"].get<double>(), 1e-6);
  std::vector<std::int64_t> genes(sample.genes.size());
  for (std::size_t gene = 0; gene < genes.size(); ++gene) genes[gene] = static_cast<std::int64_t>(gene);
  if (run["hvg_index"].is_array()) genes = run["hvg_index"].get<std::vector<std::int64_t>>();
  EXPECT_EQ(found.genes, genes);
}

// Neighbouring singular values that differ by less may rotate.
bool apart(const std::vector<double>& values, std::size_t at) {
  const auto near = [&](std::size_t other) { return std::fabs(values[at] / values[other] - 1) < 1e-5; };
  return !(at > 0 && near(at - 1)) && !(at + 1 < values.size() && near(at + 1));
}

TEST_P(PublishedSample, HasTheComponentsOfThePeer) {
  const Sample sample = read_sample(GetParam());
  const auto values = expected("pca.json")["runs"][GetParam()]["singular_values"].get<std::vector<double>>();
  const auto genes = numeric::dispersion_genes(sample.counts.view(), 2000).genes;
  const auto found = numeric::count_components(sample.counts.view(), genes, 50);
  for (std::size_t at = 0; at < 50; ++at) EXPECT_NEAR(found.singular_values[at] / values[at], 1, 1e-9) << at;

  const auto output = embed::method("pca").embed(sample.input(0));
  EXPECT_EQ(output.values, found.scores);
  const auto file = io::open_cells(kFolder + "embeddings/pca/" + GetParam() + ".h5ad");
  const auto x = file->open_matrix("X");
  const CsrMatrix peer = read_csr(*x);
  ASSERT_EQ(file->obs().names, sample.cells);
  std::vector<double> largest(50, 0), worst(50, 0);
  std::vector<double> dense(sample.cells.size() * 50, 0.0);
  for (std::size_t cell = 0; cell < sample.cells.size(); ++cell)
    for (auto entry = peer.indptr[cell]; entry < peer.indptr[cell + 1]; ++entry)
      dense[cell * 50 + peer.genes[static_cast<std::size_t>(entry)]] = peer.values[static_cast<std::size_t>(entry)];
  for (std::size_t at = 0; at < dense.size(); ++at) {
    largest[at % 50] = std::max(largest[at % 50], std::fabs(dense[at]));
    worst[at % 50] = std::max(worst[at % 50], std::fabs(dense[at] - output.values[at]));
  }
  for (std::size_t at = 0; at < 50; ++at)
    if (apart(values, at)) {
      EXPECT_LE(worst[at], 1e-4 * largest[at]) << "component " << at;
    }
}

TEST_P(PublishedSample, IsProjectedOntoItsOwnComponents) {
  const Sample sample = read_sample(GetParam());
  const auto genes = numeric::dispersion_genes(sample.counts.view(), 500).genes;
  const auto found = numeric::count_components(sample.counts.view(), genes, 20);
  const auto projected = numeric::project_counts(found, sample.counts.view());
  ASSERT_EQ(projected.size(), found.scores.size());
  for (std::size_t at = 0; at < projected.size(); ++at) ASSERT_NEAR(projected[at], found.scores[at], 1e-5);
}

INSTANTIATE_TEST_SUITE_P(Embed, PublishedSample, testing::Values("synth3b", "synth1b", "pbmc68k"),
                         [](const auto& given) { return std::string(given.param); });

struct VstRun {
  std::string key, sample;
  std::int64_t n_top;
  bool by_batch;
  numeric::VstOrder order;
};

std::vector<VstRun> vst_runs() {
  std::vector<VstRun> runs;
  const json all = expected("vst_hvg.json");
  for (const auto& [key, value] : all.items()) {
    if (key.find('|') == std::string::npos) continue;
    const std::size_t first = key.find('|'), second = key.find('|', first + 1), third = key.find('|', second + 1);
    runs.push_back({key, key.substr(0, first), std::stoll(key.substr(first + 1, second - first - 1)),
                    key.substr(second + 1, third - second - 1) != "None",
                    key.substr(third + 1) == "seurat_v3" ? numeric::VstOrder::kRank : numeric::VstOrder::kBatches});
  }
  return runs;
}

// Whether another column has the same value, so that an unstable sort may exchange the two.
std::vector<bool> tied(const std::vector<double>& values) {
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  std::vector<bool> found;
  for (const double value : values) {
    const auto at = std::lower_bound(sorted.begin(), sorted.end(), value * (1 - 1e-12));
    const auto past = std::upper_bound(sorted.begin(), sorted.end(), value * (1 + 1e-12));
    found.push_back(past - at > 1);
  }
  return found;
}

TEST(VstGenes, AreThoseOfThePeerOutsideTies) {
  if (!std::filesystem::exists(kFolder)) GTEST_SKIP() << "no " << kFolder;
  const json all = expected("vst_hvg.json");
  ASSERT_GE(vst_runs().size(), 9u);
  for (const VstRun& run : vst_runs()) {
    SCOPED_TRACE(run.key);
    const Sample sample = read_sample(run.sample);
    const json& peer = all[run.key];
    const auto found = numeric::vst_genes(sample.counts.view(),
                                          run.by_batch ? std::span(sample.batches.of_cell) : std::span<const int>(),
                                          run.n_top, run.order);
    const auto variances = peer["variances_norm"].get<std::vector<double>>();
    ASSERT_EQ(found.variances_norm.size(), variances.size());
    for (std::size_t gene = 0; gene < variances.size(); ++gene)
      ASSERT_NEAR(found.variances_norm[gene], variances[gene], 6e-10 * std::fabs(variances[gene]))
          << gene;  // given to 10 digits
    const auto selected = peer["selected"].get<std::vector<std::int64_t>>();
    ASSERT_EQ(found.genes.size(), selected.size());
    std::vector<std::int64_t> different;
    std::set_symmetric_difference(found.genes.begin(), found.genes.end(), selected.begin(), selected.end(),
                                  std::back_inserter(different));
    EXPECT_LE(different.size(), 2 * peer["agreement"]["interp"]["selected_differ"].get<std::size_t>());
    if (run.by_batch) continue;  // ranks of several batches: ties inside each hide in the median
    const std::vector<bool> any = tied(variances);
    for (std::size_t gene = 0; gene < variances.size(); ++gene) {
      if (any[gene]) continue;
      const json& rank = peer["rank"][gene];
      ASSERT_EQ(std::isnan(found.rank[gene]), rank.is_null()) << gene;
      if (!rank.is_null()) {
        EXPECT_EQ(found.rank[gene], rank.get<double>()) << gene;
      }
    }
  }
}

class Controls : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kFolder)) GTEST_SKIP() << "no " << kFolder;
    sample_ = read_sample("synth3b");
    known_ = expected("controls.json");
  }
  std::size_t row_of(const std::string& cell) const {
    return static_cast<std::size_t>(std::find(sample_.cells.begin(), sample_.cells.end(), cell) -
                                    sample_.cells.begin());
  }
  void expect_rows(const json& rows, const embed::MethodOutput& output) const {
    for (const auto& [cell, values] : rows.items())
      for (std::size_t at = 0; at < values.size(); ++at)
        EXPECT_NEAR(output.values[row_of(cell) * static_cast<std::size_t>(output.n_dims) + at],
                    values[at].get<double>(), 2e-7 * (1 + std::fabs(values[at].get<double>())))
            << cell << ", dimension " << at;
  }
  Sample sample_;
  json known_;
};

TEST_F(Controls, RandomGivesThePublishedNumbers) {
  expect_rows(known_["random_seed0_first8"], embed::method("random").embed(sample_.input(0)));
  expect_rows(known_["random_seed7_first4"], embed::method("random").embed(sample_.input(7)));
}

TEST_F(Controls, OracleGivesThePublishedNumbers) {
  EXPECT_EQ(sample_.labels.names, known_["classes"].get<std::vector<std::string>>());
  expect_rows(known_["oracle_seed0"], embed::method("oracle").embed(sample_.input(0)));
}

TEST_F(Controls, ShufflesTakeThePublishedRows) {
  const auto pca = embed::method("pca").embed(sample_.input(0));
  for (const std::string which : {"batch", "type"}) {
    const auto shuffled = embed::method("pca_shuffle_" + which).embed(sample_.input(0));
    const auto rows = known_["pca_shuffle_" + which + "_seed0_source_row_first20"].get<std::vector<std::size_t>>();
    for (std::size_t cell = 0; cell < rows.size(); ++cell)
      for (std::size_t at = 0; at < 50; ++at)
        ASSERT_EQ(shuffled.values[cell * 50 + at], pca.values[rows[cell] * 50 + at]) << which << ", cell " << cell;
  }
}

}  // namespace
}  // namespace scvet::jobs
