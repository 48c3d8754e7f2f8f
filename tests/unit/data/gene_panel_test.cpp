#include "scvet/data/gene_panel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scvet/base/error.h"

namespace scvet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

GeneNames ids_and_symbols(std::vector<std::string> ids, std::vector<std::string> symbols) {
  GeneNames names;
  names.ensembl = std::move(ids);
  names.symbol = std::move(symbols);
  names.organism = "human";
  return names;
}

TEST(GenePanel, TokensFollowTheCanonicalNamesOrder) {
  const GenePanel panel({{"", "ZFX"}, {"ENSG2", "AAA"}, {"ENSG1", ""}}, "human");
  ASSERT_EQ(panel.size(), 3u);
  EXPECT_EQ(panel.gene(0).name(), "ENSG1");
  EXPECT_EQ(panel.gene(1).name(), "ENSG2");
  EXPECT_EQ(panel.gene(2).name(), "ZFX");
  EXPECT_EQ(panel.find("ENSG2"), 1u);
  EXPECT_FALSE(panel.find("AAA"));
  EXPECT_DOUBLE_EQ(panel.share_with_ensembl(), 2. / 3);
}

TEST(GenePanel, TextReadsBackAndDisorderIsRefusedWithItsLine) {
  const GenePanel panel({{"ENSG1", "A"}, {"", "B"}}, "human");
  const GenePanel back = GenePanel::from_text(panel.to_text(), "human", "f");
  EXPECT_EQ(back.to_text(), panel.to_text());
  for (const char* bad : {"B\t\nA\t\n", "A\t\nA\t\n", "\t\n", "A\n", "A\t"}) {
    EXPECT_THROW(GenePanel::from_text(bad, "", "f"), DataError) << bad;
  }
}

TEST(MakePanel, RepeatedNamesAreRefusedSummedOrGivenASuffix) {
  const GeneNames names = ids_and_symbols({}, {"B", "A", "B", "B-1"});
  const std::vector<std::string> var{"B", "A", "B", "B-1"};
  try {
    make_panel(names, var, {}, DuplicateGenes::kRefuse, "f.h5ad");
    FAIL();
  } catch (const DataError& error) {
    EXPECT_EQ(error.facts().gene, "B");
    EXPECT_EQ(error.facts().row, 2);
    EXPECT_THAT(error.what(), HasSubstr("--duplicate-genes"));
  }
  const PanelColumns summed = make_panel(names, var, {}, DuplicateGenes::kSum, "f");
  EXPECT_THAT(summed.token_of_column, ElementsAre(1, 0, 1, 2));
  EXPECT_THAT(summed.summed, ElementsAre("B"));
  const PanelColumns renamed = make_panel(names, var, {}, DuplicateGenes::kSuffix, "f");
  EXPECT_THAT(renamed.renamed, ElementsAre("B-2"));  // B-1 is another gene's own name
  EXPECT_EQ(renamed.panel.size(), 4u);
  EXPECT_EQ(renamed.panel.gene(renamed.token_of_column[2]).name(), "B-2");
}

TEST(MakePanel, DifferentNamesOfOneIdAreSummedAndReported) {
  const PanelColumns columns = make_panel(ids_and_symbols({"ENSG1", "ENSG2", "ENSG1"}, {"OLD", "B", "NEW"}),
                                          {"OLD", "B", "NEW"}, {}, DuplicateGenes::kRefuse, "f");
  EXPECT_EQ(columns.panel.size(), 2u);
  EXPECT_THAT(columns.token_of_column, ElementsAre(0, 1, 0));
  EXPECT_THAT(columns.summed, ElementsAre("ENSG1"));
}

TEST(MakePanel, RepeatedSymbolsWithDifferentIdsAreDifferentGenes) {
  const PanelColumns columns = make_panel(ids_and_symbols({"ENSG1", "ENSG2"}, {"TBCE", "TBCE"}), {"TBCE", "TBCE"}, {},
                                          DuplicateGenes::kRefuse, "f");
  EXPECT_EQ(columns.panel.size(), 2u);
  EXPECT_TRUE(columns.summed.empty());
}

TEST(MakePanel, OtherFeaturesAndUnnamedColumnsAreLeftOutAndCounted) {
  const PanelColumns columns = make_panel(ids_and_symbols({"ENSG1", "", ""}, {"A", "CD3", ""}), {"A", "CD3", "x"},
                                          {1, 0, 1}, DuplicateGenes::kRefuse, "f");
  EXPECT_THAT(columns.token_of_column, ElementsAre(0, kNoToken, kNoToken));
  EXPECT_EQ(columns.n_other_features, 1);
  EXPECT_EQ(columns.n_unnamed, 1);
}

TEST(MakePanel, NoUsableNameAtAllSaysHowToNameThem) {
  GeneNames names = ids_and_symbols({}, {});
  names.index_kind = GeneKind::kNumber;
  try {
    make_panel(names, {"0", "1"}, {}, DuplicateGenes::kRefuse, "f.h5ad");
    FAIL();
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("--gene-key"));
  }
}

}  // namespace
}  // namespace scvet
