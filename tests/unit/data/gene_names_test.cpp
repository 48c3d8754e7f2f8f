#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scvet/base/error.h"
#include "scvet/data/genes.h"

namespace scvet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Table var(std::vector<std::string> names, std::vector<Column> columns = {}) {
  Table table;
  table.names = std::move(names);
  table.columns = std::move(columns);
  return table;
}

TEST(GeneNames, EnsemblIndexIsStrippedAndSymbolsComeFromFeatureName) {
  const GeneNames names = read_gene_names(
      var({"ENSG00000141510.4", "ENSG00000075624.1"}, {string_column("feature_name", {"TP53", "ACTB"})}), "", "f");
  EXPECT_THAT(names.ensembl, ElementsAre("ENSG00000141510", "ENSG00000075624"));
  EXPECT_THAT(names.symbol, ElementsAre("TP53", "ACTB"));
  EXPECT_EQ(names.ensembl_from, "index");
  EXPECT_EQ(names.symbol_from, "feature_name");
  EXPECT_EQ(names.organism, "human");
}

TEST(GeneNames, SymbolIndexFindsIdsInAColumnOfAnyName) {
  const GeneNames names =
      read_gene_names(var({"TP53", "ACTB"}, {string_column("biotype", {"coding", "coding"}),
                                             categorical_column("gencode", {"ENSG00000141510", "ENSG00000075624"})}),
                      "", "f");
  EXPECT_EQ(names.ensembl_from, "gencode");
  EXPECT_EQ(names.symbol_from, "index");
}

TEST(GeneNames, NumberedIndexTakesNamesFromTheColumnThatHasThem) {
  const GeneNames names = read_gene_names(var({"0", "1", "2"}, {string_column("type", {"gene", "gene", "gene"}),
                                                                string_column("features", {"TP53", "ACTB", "CD4"})}),
                                          "", "f");
  EXPECT_EQ(names.index_kind, GeneKind::kNumber);
  EXPECT_EQ(names.symbol_from, "features");
  ASSERT_EQ(names.notes.size(), 1u);
  EXPECT_THAT(names.notes[0], HasSubstr("column 'features'"));
}

TEST(GeneNames, NumberedIndexWithoutNamesSaysSo) {
  const GeneNames names = read_gene_names(var({"0", "1"}, {string_column("type", {"gene", "gene"})}), "", "f");
  EXPECT_TRUE(names.ensembl.empty() && names.symbol.empty());
  EXPECT_THAT(names.notes.at(0), HasSubstr("--gene-key"));
}

TEST(GeneNames, FeaturesWithoutIdAreLeftEmptyAndCounted) {
  const GeneNames names = read_gene_names(var({"ENSG00000141510", "ENSG00000075624", "CD3_TotalSeqB"}), "", "f");
  EXPECT_THAT(names.ensembl, ElementsAre("ENSG00000141510", "ENSG00000075624", ""));
  EXPECT_THAT(names.notes.at(0), HasSubstr("1 of 3"));
}

TEST(GeneNames, GeneKeyReplacesTheIndexAndAWrongOneIsAUsageErrorWithTheNearest) {
  const Table table = var({"a1", "b2"}, {string_column("alias", {"TP53", "ACTB"})});
  EXPECT_EQ(read_gene_names(table, "alias", "f").symbol_from, "alias");
  try {
    read_gene_names(table, "alais", "lung.h5ad");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), testing::AllOf(HasSubstr("did you mean 'alias'"), HasSubstr("lung.h5ad")));
    EXPECT_EQ(error.exit_code(), 2);
  }
}

TEST(GeneNames, FeaturesThatAreNoGenesAreMarkedOnlyInTheWordsOf10x) {
  const std::vector<std::string> names = {"a", "b"};
  EXPECT_THAT(mark_genes(var(names, {string_column("feature_type", {"Gene Expression", "Antibody Capture"})})),
              ElementsAre(1, 0));
  EXPECT_TRUE(mark_genes(var(names, {string_column("feature_type", {"protein_coding", "lncRNA"})})).empty());
  EXPECT_TRUE(mark_genes(var(names)).empty());
}

}  // namespace
}  // namespace scvet
