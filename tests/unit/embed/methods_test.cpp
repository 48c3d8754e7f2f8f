#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "contracts/method_contract.h"
#include "scvet/base/error.h"
#include "scvet/base/random.h"
#include "scvet/numeric/variable_genes.h"

namespace scvet::embed {
namespace {

using testing::MethodCells;

// 240 cells of four kinds in three batches, 150 genes; one cell without counts, one without a label.
MethodCells simulated() {
  constexpr int kCells = 240, kGenes = 150;
  MethodCells cells;
  std::vector<std::string> labels, batches;
  Stream stream(21);
  cells.counts.n_cells = kCells;
  cells.counts.n_genes = kGenes;
  for (int gene = 0; gene < kGenes; ++gene) cells.genes.push_back("GENE" + std::to_string(gene));
  for (int cell = 0; cell < kCells; ++cell) {
    const int kind = cell % 4, batch = static_cast<int>(stream.below(3));
    cells.names.push_back("cell" + std::to_string((cell * 7919) % 1000));
    labels.push_back(cell == 30 ? "" : "kind" + std::to_string(kind));
    batches.push_back("batch" + std::to_string(batch));
    for (int gene = 0; gene < kGenes && cell != 60; ++gene) {
      const double mean = (1 + gene % 7) * (gene % 4 == kind ? 4 : 1) * (gene % 3 == batch ? 1.5 : 1);
      const double count = std::floor(-mean * std::log(1 - stream.unit()));
      if (count == 0) continue;
      cells.counts.genes.push_back(static_cast<std::uint32_t>(gene));
      cells.counts.values.push_back(static_cast<float>(count));
    }
    cells.counts.indptr.push_back(static_cast<std::int64_t>(cells.counts.genes.size()));
  }
  cells.labels = make_groups(labels);
  cells.batches = make_groups(batches);
  return cells;
}

// What may differ from one order of the cells to another, and whether a seed matters.
struct Promise {
  bool seeded;
  double tolerance;
};
const std::map<std::string, Promise> kPromises{{"pca", {false, 1e-4}},
                                               {"hvg", {false, 0}},
                                               {"random", {true, 0}},
                                               {"oracle", {true, 0}},
                                               {"pca_shuffle_batch", {true, 1e-4}},
                                               {"pca_shuffle_type", {true, 1e-4}}};

TEST(Methods, AllKeepTheContract) {
  const MethodCells cells = simulated();
  for (const MethodRecord* record : methods()) {
    if (!record->embed) continue;
    const auto promise = kPromises.find(record->name);
    ASSERT_NE(promise, kPromises.end()) << record->name << ": say here what it promises";
    testing::expect_method_contract(*record, cells, promise->second.seeded, promise->second.tolerance);
  }
}

TEST(Methods, RecordsSayWhatAPersonNeedsToKnow) {
  const std::set<std::string> categories{"baseline", "control", "integration", "model", "external"};
  const std::set<std::string> values{"counts", "any", "none"}, gene_ids{"any", "symbol", "ensembl"};
  std::set<std::string> names;
  for (const MethodRecord* record : methods()) {
    SCOPED_TRACE(record->name);
    EXPECT_TRUE(names.insert(record->name).second);
    EXPECT_GT(std::string(record->label).size(), 8u);
    EXPECT_GT(std::string(record->source).size(), 20u);
    EXPECT_TRUE(categories.contains(record->category));
    EXPECT_TRUE(values.contains(record->values));
    EXPECT_TRUE(gene_ids.contains(record->gene_ids));
    EXPECT_EQ(record->embed == nullptr, record->category == std::string("external"));
    EXPECT_TRUE(!record->needs_labels || record->uses_labels);
    const double bytes = record->estimate_bytes(10'000, 20'000, 15'000'000);
    const double seconds = record->estimate_seconds(10'000, 20'000, 15'000'000);
    EXPECT_EQ(std::isnan(bytes), record->embed == nullptr);
    if (record->embed) {
      EXPECT_GT(std::min(bytes, seconds), 0);
    }
  }
  EXPECT_EQ(names, (std::set<std::string>{"external", "hvg", "oracle", "pca", "pca_shuffle_batch", "pca_shuffle_type",
                                          "random"}));
}

TEST(Methods, AreFoundInAnyCaseAndParametersAreWholeNumbers) {
  const MethodCells cells = simulated();
  EXPECT_STREQ(method("PCA").name, "pca");
  EXPECT_THROW(method("pcca"), UsageError);
  MethodInput input = cells.input(1);
  input.parameters["pca_n_comps"] = "7";
  EXPECT_EQ(method("pca").embed(input).n_dims, 7);
  for (const char* bad : {"seven", "7.5", "", "0", "-3"}) {
    input.parameters["pca_n_comps"] = bad;
    EXPECT_THROW(method("pca").embed(input), UsageError) << bad;
  }
}

TEST(Methods, ThatNeedLabelsOrBatchesRefuseToDoWithout) {
  const MethodCells cells = simulated();
  for (const MethodRecord* record : methods()) {
    if (!record->needs_labels && !record->needs_batches) continue;
    MethodInput input = cells.input(1);
    (record->needs_labels ? input.labels : input.batches) = nullptr;
    EXPECT_THROW(record->embed(input), UsageError) << record->name;
  }
}

TEST(Pca, NeedsMoreCellsAndGenesThanComponents) {
  const MethodCells cells = simulated();
  std::vector<std::int64_t> few(50);
  for (std::int64_t cell = 0; cell < 50; ++cell) few[static_cast<std::size_t>(cell)] = cell;
  const MethodCells chosen = cells.select(few);
  EXPECT_THROW(method("pca").embed(chosen.input(1)), DataError);
  MethodInput input = cells.input(1);
  input.parameters["pca_n_top_genes"] = "50";
  EXPECT_THROW(method("pca").embed(input), DataError);
  input.parameters["pca_n_top_genes"] = "51";
  EXPECT_EQ(method("pca").embed(input).n_dims, 50);
}

TEST(Pca, EmbedsACellWithoutCountsAndSaysSo) {
  const MethodCells cells = simulated();
  const MethodOutput output = method("pca").embed(cells.input(1));
  EXPECT_EQ(output.facts.at("cells_without_counts"), "1");
  EXPECT_TRUE(output.missing_reason.empty());
}

TEST(Hvg, GivesTheLogarithmsOfTheKeptGenes) {
  const MethodCells cells = simulated();
  MethodInput input = cells.input(1);
  input.parameters["hvg_n_top_genes"] = "40";
  const MethodOutput output = method("hvg").embed(input);
  const auto kept = numeric::dispersion_genes(cells.counts.view(), 40).genes;
  ASSERT_EQ(output.n_dims, std::ssize(kept));
  for (std::size_t at = 0; at < kept.size(); ++at)
    EXPECT_EQ(output.genes[at], cells.genes[static_cast<std::size_t>(kept[at])]);
  const CsrView counts = cells.counts.view();
  for (std::int64_t cell = 0; cell < counts.rows; ++cell) {
    double sum = 0;
    std::map<std::int64_t, double> of_gene;
    for (std::size_t at = 0; at < counts.row_values(cell).size(); ++at) {
      sum += counts.row_values(cell)[at];
      of_gene[counts.row_columns(cell)[at]] = counts.row_values(cell)[at];
    }
    for (std::size_t at = 0; at < kept.size(); ++at) {
      const double log = of_gene.contains(kept[at]) ? std::log1p(of_gene[kept[at]] / (sum / 1e4)) : 0;
      ASSERT_FLOAT_EQ(output.values[static_cast<std::size_t>(cell) * kept.size() + at], static_cast<float>(log));
    }
  }
}

TEST(Random, IsNormalAndDependsOnTheNameAlone) {
  MethodCells cells;
  for (int cell = 0; cell < 4'000; ++cell) cells.names.push_back("c" + std::to_string(cell));
  cells.names.push_back("c0");
  const MethodOutput output = method("random").embed(cells.input(3));
  double sum = 0, squares = 0;
  for (const float value : output.values) {
    sum += value;
    squares += double{value} * value;
  }
  const auto n = static_cast<double>(output.values.size());
  EXPECT_NEAR(sum / n, 0, 5 / std::sqrt(n));
  EXPECT_NEAR(squares / n, 1, 5 * std::sqrt(2 / n));
  for (std::size_t at = 0; at < 50; ++at) EXPECT_EQ(output.values[at], output.values[4'000 * 50 + at]);
}

TEST(Oracle, AMissingLabelIsNoiseAloneAndNoLabelsAreRefused) {
  MethodCells cells = simulated();
  const MethodOutput output = method("oracle").embed(cells.input(2));
  ASSERT_EQ(output.n_dims, 4);
  for (std::size_t cell = 0; cell < cells.names.size(); ++cell)
    for (std::size_t label = 0; label < 4; ++label)
      EXPECT_NEAR(output.values[cell * 4 + label], cells.labels.of_cell[cell] == static_cast<std::int32_t>(label), .6);
  cells.labels = make_groups(std::vector<std::string>(cells.names.size()));
  EXPECT_THROW(method("oracle").embed(cells.input(2)), DataError);
}

TEST(Shuffles, ExchangeRowsInsideAGroupOnlyAndLoseNone) {
  const MethodCells cells = simulated();
  const MethodOutput pca = method("pca").embed(cells.input(4));
  std::map<std::vector<float>, std::size_t> cell_of_row;
  const auto row = [](const MethodOutput& output, std::size_t cell) {
    const auto first = output.values.begin() + static_cast<std::ptrdiff_t>(cell * 50);
    return std::vector<float>(first, first + 50);
  };
  for (std::size_t cell = 0; cell < cells.names.size(); ++cell) cell_of_row[row(pca, cell)] = cell;
  ASSERT_EQ(cell_of_row.size(), cells.names.size());
  for (const auto& [name, groups] :
       {std::pair{"pca_shuffle_batch", &cells.batches}, std::pair{"pca_shuffle_type", &cells.labels}}) {
    const MethodOutput output = method(name).embed(cells.input(4));
    std::set<std::size_t> sources;
    int stayed = 0;
    for (std::size_t cell = 0; cell < cells.names.size(); ++cell) {
      const std::size_t source = cell_of_row.at(row(output, cell));
      sources.insert(source);
      stayed += source == cell;
      EXPECT_EQ(groups->of_cell[source], groups->of_cell[cell]) << name;
    }
    EXPECT_EQ(sources.size(), cells.names.size()) << name;
    EXPECT_LT(stayed, 25) << name;
  }
}

}  // namespace
}  // namespace scvet::embed
