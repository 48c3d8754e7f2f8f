#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "scvet/base/error.h"
#include "scvet/base/files.h"
#include "scvet/data/gene_panel.h"
#include "scvet/data/vocabulary.h"

namespace scvet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

GenePanel ids(const std::vector<std::string>& names, const std::string& organism = "human") {
  std::vector<PanelGene> genes;
  for (const std::string& name : names) genes.push_back({name, ""});
  return GenePanel(std::move(genes), organism);
}

GenePanel symbols(const std::vector<std::string>& names, const std::string& organism = "human") {
  std::vector<PanelGene> genes;
  for (const std::string& name : names) genes.push_back({"", name});
  return GenePanel(std::move(genes), organism);
}

NameTable table(const std::string& lines) {
  const auto path =
      std::filesystem::temp_directory_path() / ("scvet_panel_match_" + std::to_string(::getpid()) + ".tsv");
  write_file(path.string(), "# source: a test\n" + lines);
  NameTable loaded = NameTable::load(path.string());
  std::filesystem::remove(path);
  return loaded;
}

TEST(MatchPanels, IdsMeetIdsAndTheUniverseIsWhatBothMeasured) {
  const PanelMatch match = match_panels(ids({"ENSG1", "ENSG2", "ENSG4"}), ids({"ENSG2", "ENSG3", "ENSG4", "ENSG5"}));
  EXPECT_EQ(match.key, "ensembl");
  EXPECT_THAT(match.genes, ElementsAre("ENSG2", "ENSG4"));
  EXPECT_THAT(match.a.to_universe, ElementsAre(-1, 0, 1));
  EXPECT_THAT(match.b.to_universe, ElementsAre(0, -1, 1, -1));
  EXPECT_DOUBLE_EQ(match.share_a, 2. / 3);
  EXPECT_DOUBLE_EQ(match.share_b, .5);
  EXPECT_DOUBLE_EQ(share_on_universe(match.a, std::vector<double>{10, 30, 10}), .8);
  EXPECT_TRUE(std::isnan(share_on_universe(match.a, std::vector<double>{0, 0, 0})));
}

TEST(MatchPanels, SymbolsMeetSymbolsWhereOneSideHasNoIds) {
  const GenePanel both({{"ENSG1", "TP53"}, {"ENSG2", "ACTB"}}, "human");
  const PanelMatch match = match_panels(symbols({"TP53", "XIST"}), both);
  EXPECT_EQ(match.key, "symbol");
  EXPECT_THAT(match.genes, ElementsAre("TP53"));
  EXPECT_THAT(match.b.to_universe, ElementsAre(0, -1));
}

TEST(MatchPanels, ASymbolOfTwoGenesStandsForNeither) {
  const GenePanel both({{"ENSG1", "TBCE"}, {"ENSG2", "TBCE"}, {"ENSG3", "ACTB"}}, "human");
  const PanelMatch match = match_panels(both, symbols({"TBCE", "ACTB"}));
  EXPECT_THAT(match.genes, ElementsAre("ACTB"));
  EXPECT_EQ(match.n_ambiguous, 2);
  EXPECT_THAT(match.ambiguous, ElementsAre("TBCE"));
}

TEST(MatchPanels, SymbolsMeetIdsOnlyThroughANameTable) {
  const GenePanel benchmark = symbols({"ACTB", "TP53"}), corpus = ids({"ENSG00000075624", "ENSG00000141510"});
  try {
    match_panels(benchmark, corpus);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("symbols (ACTB, TP53)"));
    EXPECT_THAT(error.what(), HasSubstr("ENSG00000075624"));
  }
  const NameTable names = table("ENSG00000075624\tACTB\thuman\nENSG00000141510\tTP53\thuman\n");
  const PanelMatch match = match_panels(benchmark, corpus, {.names = &names});
  EXPECT_EQ(match.key, "name_table");
  EXPECT_THAT(match.a.to_universe, ElementsAre(0, 1));
  EXPECT_EQ(match.table_share, 1);
  EXPECT_EQ(match.table_source, "a test");
}

TEST(MatchPanels, TwoSymbolsOfOneIdMeetInOneUniverseGene) {
  const NameTable names = table("ENSG00000075624\tACTB\thuman\nENSG00000075624\tOLDB\thuman\n");
  const PanelMatch match = match_panels(symbols({"ACTB", "OLDB"}), ids({"ENSG00000075624"}), {.names = &names});
  EXPECT_THAT(match.a.to_universe, ElementsAre(0, 0));
  EXPECT_TRUE(match.a.merges);
  EXPECT_FALSE(match.b.merges);
  EXPECT_THAT(match.summed, ElementsAre("ENSG00000075624"));
}

TEST(MatchPanels, UnderEightyPercentKnownIsRefused) {
  const NameTable names = table("ENSG00000075624\tACTB\thuman\n");
  try {
    match_panels(symbols({"ACTB", "X1", "X2"}), ids({"ENSG00000075624"}), {.names = &names});
    FAIL();
  } catch (const DataError& error) {
    EXPECT_EQ(error.facts().reason, "genes_not_mapped");
    EXPECT_THAT(error.what(), HasSubstr("33.3 %"));
  }
}

TEST(MatchPanels, OrganismsThatDifferAreRefusedAndUnknownOnesAreNot) {
  EXPECT_THROW(match_panels(ids({"ENSG1"}, "human"), ids({"ENSG1"}, "mouse")), DataError);
  EXPECT_EQ(match_panels(ids({"ENSG1"}, ""), ids({"ENSG1"}, "mouse")).genes.size(), 1u);
}

TEST(MatchPanels, NoSharedGeneIsRefusedWithExamplesOfBoth) {
  try {
    match_panels(ids({"ENSG1"}), ids({"ENSG2"}), {.name_a = "b.h5ad", .name_b = "c.corpus"});
    FAIL();
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), testing::AllOf(HasSubstr("b.h5ad"), HasSubstr("ENSG2")));
  }
}

TEST(MatchPanels, AVocabularyRestrictsTheUniverse) {
  const Vocabulary vocabulary({{"ENSG2", 2, 1.}}, "v");
  const PanelMatch match = match_panels(ids({"ENSG1", "ENSG2"}), ids({"ENSG1", "ENSG2"}), {.vocabulary = &vocabulary});
  EXPECT_THAT(match.genes, ElementsAre("ENSG2"));
}

}  // namespace
}  // namespace scvet
