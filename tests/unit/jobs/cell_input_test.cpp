#include "scvet/jobs/cell_input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "scvet/base/error.h"
#include "scvet/base/files.h"
#include "scvet/io/dictionary.h"
#include "test_cells.h"

namespace scvet::jobs {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string kAudit = std::string(SCVET_REFERENCE_DIR) + "/audit";

// Tokens of the published cells through the V1-style dictionary and medians.
class Tokens : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kAudit)) GTEST_SKIP() << "no " << kAudit;
  }
};

// From the pickles, in a folder of their own.
Vocabulary published_vocabulary(const TestFolder& folder) {
  for (const char* name : {"token_dictionary_v1_style.pkl", "gene_median_v1_style.pkl"})
    std::filesystem::copy_file(kAudit + "/" + name, folder / name);
  return io::load_dictionary(folder / "");
}

TEST_P(Tokens, EqualThePublishedOnes) {
  const TestFolder folder("tokens");
  const Vocabulary vocabulary = published_vocabulary(folder);
  const json expected = json::parse(read_file(kAudit + "/tokenize_expected.json"))["tokens"];
  const auto input = CellInput::open(kAudit + "/" + GetParam(), {});
  ASSERT_EQ(input->n_cells(), static_cast<std::int64_t>(expected.size()));
  EXPECT_TRUE(input->has_counts());
  const RankPolicy policy = rank_policy(input->panel(), &vocabulary, 128);
  CellBatch batch;
  RankedCells ranked;
  RankLosses losses;
  constexpr std::int64_t kStep = 7;  // chunks that do not fall on the file's own
  for (std::int64_t first = 0; first < input->n_cells(); first += kStep) {
    const std::int64_t count = std::min(kStep, input->n_cells() - first);
    input->read(first, count, batch);
    rank_cells(batch, policy, ranked, losses);
    for (std::int64_t cell = 0; cell < count; ++cell) {
      std::vector<std::int64_t> tokens;
      for (const std::uint32_t token : ranked.cell_tokens(cell)) tokens.push_back(policy.tie_order[token]);
      EXPECT_EQ(tokens, expected[static_cast<std::size_t>(first + cell)].get<std::vector<std::int64_t>>())
          << "cell " << first + cell;
    }
  }
  EXPECT_GT(losses.n_outside, 0);
}
INSTANTIATE_TEST_SUITE_P(PublishedFiles, Tokens,
                         testing::Values("cellxgene_style.h5ad", "csc_counts.h5ad", "legacy_categories.h5ad",
                                         "legacy_compound.h5ad"),
                         [](const auto& test) {
                           return std::string(test.param).substr(0, std::string(test.param).find('.'));
                         });

TestFile small() {
  return {.cells = {"c1", "c2", "c3"},
          .genes = {"TP53", "ACTB", "CD4"},
          .x = {{1, 0, 2}, {0, 0, 0}, {5, 6, 0}},
          .raw = {},
          .counts_layer = {},
          .obs = {},
          .var = {}};
}

TEST(CellInput, CellsComeOnThePanelWithTotalsAndFacts) {
  const TestFolder folder("cell_input");
  const auto input = CellInput::open(small().write(folder / "f.h5ad"), {});
  EXPECT_EQ(input->panel().gene(0).name(), "ACTB");
  CellBatch batch;
  input->read(0, 3, batch);
  EXPECT_THAT(batch.indptr, ElementsAre(0, 2, 2, 4));
  EXPECT_THAT(batch.tokens, ElementsAre(1, 2, 0, 2));
  EXPECT_THAT(batch.values, ElementsAre(2, 1, 6, 5));
  EXPECT_THAT(batch.totals, ElementsAre(3, 0, 11));
  EXPECT_EQ(input->facts().matrix, "X");
  EXPECT_EQ(input->facts().n_empty, 1);
  EXPECT_THAT(input->gene_totals(), ElementsAre(6, 2, 6));
  input->read(0, 3, batch);  // read again: not counted again
  EXPECT_EQ(input->facts().n_empty, 1);
}

TEST(CellInput, RawCountsAreTakenBeforeALoggedX) {
  const TestFolder folder("cell_input");
  TestFile file = small();
  file.raw = file.x;
  file.x = {{.5, 0, 1.5}, {0, 0, 0}, {.25, .75, 0}};
  const auto input = CellInput::open(file.write(folder / "f.h5ad"), {});
  EXPECT_EQ(input->facts().matrix, "raw/X");
}

TEST(CellInput, CountsInXAreTakenWhereRawHoldsNone) {
  const TestFolder folder("cell_input");
  TestFile file = small();
  file.raw = {{.5, 0, 1.5}, {0, 0, 0}, {.25, .75, 0}};
  EXPECT_EQ(CellInput::open(file.write(folder / "f.h5ad"), {})->facts().matrix, "X");
}

TEST(CellInput, FractionsAreRefusedAndALayerWithCountsIsNamed) {
  const TestFolder folder("cell_input");
  TestFile file = small();
  file.counts_layer = file.x;
  file.x = {{.5, 0, 1.5}, {0, 0, 0}, {.25, .75, 0}};
  const std::string path = file.write(folder / "f.h5ad");
  try {
    CellInput::open(path, {});
    FAIL();
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("c1"));
    EXPECT_THAT(error.what(), HasSubstr("layers with counts: counts"));
  }
  const auto input = CellInput::open(path, {.layer = "counts"});
  EXPECT_EQ(input->facts().matrix, "layers/counts");
  EXPECT_THROW(CellInput::open(path, {.layer = "count"}), UsageError);
}

TEST(CellInput, ABadValueDeepInTheFileIsFoundWhenItIsRead) {
  const TestFolder folder("cell_input");
  TestFile file = small();
  file.cells.clear();
  file.x.clear();
  for (int cell = 0; cell < 3000; ++cell) {
    file.cells.push_back("c" + std::to_string(cell));
    file.x.push_back({1, 2, cell == 2900 ? 1.5 : 3});
  }
  const auto input = CellInput::open(file.write(folder / "f.h5ad"), {});
  CellBatch batch;
  input->read(0, 2000, batch);
  try {
    input->read(2000, 1000, batch);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("c2900"));
    EXPECT_THAT(error.what(), HasSubstr("1.5"));
  }
}

TEST(CellInput, AsIsTakesWhatIsAboveZeroAndHasNoCounts) {
  const TestFolder folder("cell_input");
  TestFile file = small();
  file.x = {{.5, 0, -1.5}, {0, 0, 0}, {.25, .75, 0}};
  const auto input = CellInput::open(file.write(folder / "f.h5ad"), {.as_is = true});
  EXPECT_FALSE(input->has_counts());
  CellBatch batch;
  input->read(0, 3, batch);
  EXPECT_THAT(batch.tokens, ElementsAre(2, 0, 2));
  EXPECT_THAT(batch.values, ElementsAre(.5, .75, .25));
  EXPECT_TRUE(CellInput::open(small().write(folder / "g.h5ad"), {.as_is = true})->has_counts());
}

TEST(CellInput, RepeatedCellNamesAreRefused) {
  const TestFolder folder("cell_input");
  TestFile file = small();
  file.cells[2] = "c1";
  try {
    CellInput::open(file.write(folder / "f.h5ad"), {});
    FAIL();
  } catch (const DataError& error) {
    EXPECT_EQ(error.facts().row, 2);
    EXPECT_EQ(error.facts().reason, "duplicate_cells");
  }
}

TEST(CellInput, PrimaryOnlyReadsThoseCellsAndKeepsTheirRows) {
  const TestFolder folder("cell_input");
  TestFile file = small();
  file.obs = {boolean_column("is_primary_data", {true, false, true})};
  const auto input = CellInput::open(file.write(folder / "f.h5ad"), {.primary_only = true});
  ASSERT_EQ(input->n_cells(), 2);
  EXPECT_EQ(input->file_row(1), 2);
  CellBatch batch;
  input->read(1, 1, batch);
  EXPECT_THAT(batch.values, ElementsAre(6, 5));
  EXPECT_EQ(input->facts().n_not_primary, 1);
  EXPECT_THROW(CellInput::open(small().write(folder / "g.h5ad"), {.primary_only = true}), UsageError);
}

TEST(CellInput, StatedTotalsAreTakenAndDifferencesCounted) {
  const TestFolder folder("cell_input");
  TestFile file = small();
  file.obs = {real_column("n_counts", {3, 0, 20})};
  const auto input = CellInput::open(file.write(folder / "f.h5ad"), {});
  CellBatch batch;
  input->read(0, 3, batch);
  EXPECT_THAT(batch.totals, ElementsAre(3, 0, 20));
  EXPECT_EQ(input->facts().n_total_differs, 1);
  EXPECT_THAT(input->facts().notes(), testing::Contains(HasSubstr("n_counts differs")));
}

TEST(CellInput, ColumnsOfOneGeneAreSummed) {
  const TestFolder folder("cell_input");
  TestFile file = small();
  file.var = {string_column("gene_ids", {"ENSG00000141510", "ENSG00000075624", "ENSG00000141510"})};
  const auto input = CellInput::open(file.write(folder / "f.h5ad"), {});
  EXPECT_EQ(input->panel().size(), 2u);
  CellBatch batch;
  input->read(0, 1, batch);
  EXPECT_THAT(batch.tokens, ElementsAre(1));
  EXPECT_THAT(batch.values, ElementsAre(3));
  EXPECT_THAT(input->facts().summed_genes, ElementsAre("ENSG00000141510"));
}

TEST(CellInput, SymbolsAreGivenIdsWhereTheVocabularyKnowsOnlyThose) {
  const TestFolder folder("cell_input");
  write_file(folder / "names.tsv",
             "ENSG00000141510\tTP53\thuman\nENSG00000075624\tACTB\thuman\nENSG00000010610\tCD4\thuman\n");
  setenv("SCVET_GENE_TABLE", (folder / "names.tsv").c_str(), 1);
  CellInputOptions options;
  options.vocabulary = std::make_shared<Vocabulary>(std::vector<VocabularyGene>{{"ENSG00000141510", 2, 1}});
  const std::string path = small().write(folder / "f.h5ad");
  const auto input = CellInput::open(path, options);
  EXPECT_EQ(input->panel().gene(0).name(), "ENSG00000010610");
  EXPECT_EQ(input->facts().table_share, 1);
  write_file(folder / "names.tsv", "ENSG00000141510\tTP53\thuman\n");
  EXPECT_THROW(CellInput::open(path, options), DataError);
  unsetenv("SCVET_GENE_TABLE");
}

TEST(CellInput, FlagWordsAreChecked) {
  EXPECT_EQ(parse_duplicate_genes("sum"), DuplicateGenes::kSum);
  EXPECT_THROW(parse_duplicate_genes("add"), UsageError);
  EXPECT_TRUE(parse_values_as_is("as-is"));
  EXPECT_THROW(parse_values_as_is("logged"), UsageError);
}

std::shared_ptr<const Vocabulary> five_genes(bool v2 = false) {
  std::vector<SpecialToken> special = {{"<pad>", 0}, {"<mask>", 1}};
  std::int64_t token = 2;
  if (v2)
    for (const char* name : {"<cls>", "<eos>"}) special.push_back({name, token++});
  std::vector<VocabularyGene> genes;
  for (const char* gene :
       {"ENSG00000000005", "ENSG00000000003", "ENSG00000000001", "ENSG00000000002", "ENSG00000000004"})
    genes.push_back({gene, token++, 1});
  return std::make_shared<const Vocabulary>(genes, v2 ? "v2" : "v1", special);
}

std::unique_ptr<CellInput> open_lists(const std::vector<std::vector<std::uint32_t>>& lists, std::int64_t n_tokens,
                                      const CellInputOptions& options) {
  return CellInput::over(std::make_unique<TokenLists>(n_tokens, lists), options);
}

TEST(CellInput, TokenListsAreNamedByTheDictionaryAndKeepTheirOrder) {
  const auto input = open_lists({{4, 2, 6}, {}, {3, 5}}, 7, {.vocabulary = five_genes()});
  EXPECT_FALSE(input->has_counts());
  EXPECT_TRUE(input->ranked());
  EXPECT_EQ(input->panel().size(), 5u);
  EXPECT_EQ(input->panel().organism(), "human");
  CellBatch batch;
  RankedCells ranked;
  RankLosses losses;
  input->read(0, 3, batch);
  rank_cells(batch, rank_policy(input->panel(), five_genes().get(), 2, true), ranked, losses);
  EXPECT_THAT(ranked.offsets, ElementsAre(0, 2, 2, 4));
  EXPECT_THAT(ranked.tokens, ElementsAre(0, 4, 2, 1));  // ...001, ...005 (...004 is cut); ...003, ...002
  EXPECT_EQ(losses.n_cut_cells, 1);
  EXPECT_EQ(input->facts().longest_list, 3);
  EXPECT_EQ(input->facts().n_empty, 1);
}

TEST(CellInput, SpecialTokensAreNoGenes) {
  const auto input = open_lists({{2, 8, 4, 3}}, 9, {.vocabulary = five_genes(true)});
  CellBatch batch;
  input->read(0, 1, batch);
  EXPECT_THAT(batch.tokens, ElementsAre(3, 4));
  EXPECT_THAT(batch.values, ElementsAre(3, 2));
}

std::string list_refusal(const std::vector<std::vector<std::uint32_t>>& lists, std::int64_t n_tokens,
                         const CellInputOptions& options) {
  try {
    CellBatch batch;
    const auto input = open_lists(lists, n_tokens, options);
    input->read(0, input->n_cells(), batch);
  } catch (const DataError& error) {
    return error.what();
  }
  return "";
}

TEST(CellInput, TokenListsOfAnotherModelAreRefused) {
  EXPECT_THAT(list_refusal({{2}}, 7, {}), HasSubstr("--dictionary"));
  EXPECT_THAT(list_refusal({{2}}, 8, {.vocabulary = five_genes()}), HasSubstr("tokens go up to 7"));
  const auto gap = std::make_shared<const Vocabulary>(
      std::vector<VocabularyGene>{{"ENSG00000000001", 0, 1}, {"ENSG00000000002", 6, 1}}, "gap");
  EXPECT_THAT(list_refusal({{0, 3}}, 7, {.vocabulary = gap}), HasSubstr("has token 3"));
  const std::vector<std::vector<std::uint32_t>> framed(6, {2, 5, 6, 3});
  EXPECT_THAT(list_refusal(framed, 7, {.vocabulary = five_genes()}), HasSubstr("name the dictionary of V2"));
  EXPECT_EQ(list_refusal(framed, 7, {.vocabulary = five_genes(true)}), "");
}

TEST(CellInput, CollapsedIdsAreSummedAndNamed) {
  const TestFolder folder("cell_input");
  TestFile file = small();
  file.genes = {"ENSG00000000001", "ENSG00000000099", "ENSG00000000002"};
  const auto vocabulary = std::make_shared<const Vocabulary>(
      std::vector<VocabularyGene>{{"ENSG00000000001", 4, 1}, {"ENSG00000000002", 5, 1}}, "v2",
      std::vector<SpecialToken>{}, CollapseMap{{"ENSG00000000099", "ENSG00000000001"}});
  const auto input = CellInput::open(file.write(folder / "f.h5ad"), {.vocabulary = vocabulary});
  CellBatch batch;
  input->read(0, 3, batch);
  EXPECT_THAT(batch.values, ElementsAre(1, 2, 11));  // 5 + 6
  EXPECT_THAT(input->facts().collapsed, ElementsAre("ENSG00000000099"));
}

TEST(CellInput, SymbolsMeetAVocabularyOfIdsThroughTheTableThatIsGiven) {
  const TestFolder folder("cell_input");
  write_file(folder / "table.tsv",
             "ENSG00000000001\tTP53\thuman\nENSG00000000002\tACTB\thuman\nENSG00000000003\tCD4\thuman\n");
  const auto names = std::make_shared<const NameTable>(NameTable::load(folder / "table.tsv"));
  const auto input = CellInput::open(small().write(folder / "f.h5ad"), {.vocabulary = five_genes(), .names = names});
  EXPECT_EQ(input->panel().gene(0).ensembl, "ENSG00000000001");
  EXPECT_EQ(input->facts().table_share, 1);
}

}  // namespace
}  // namespace scvet::jobs
