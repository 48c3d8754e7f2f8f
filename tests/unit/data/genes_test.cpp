#include "scvet/data/genes.h"

#include <gtest/gtest.h>

namespace scvet {
namespace {

// A few names of each kind, repeated with other digits until there are enough to judge.
std::vector<std::string> human() {
  return {"TP53", "ACTB",  "CD4",  "CD8A",   "MALAT1", "HLA-DRA", "C1orf112", "MT-ND1", "B2M",  "GAPDH", "NKG7",
          "LYZ",  "MS4A1", "CST3", "FCER1A", "GNLY",   "PPBP",    "IL7R",     "S100A8", "CCR7", "KLRB1", "AC012345.1"};
}
std::vector<std::string> mouse() {
  return {"Trp53", "Actb",  "Cd4",  "Cd8a",   "Malat1", "H2-K1", "4732440D04Rik", "mt-Nd1", "B2m",  "Gapdh",  "Nkg7",
          "Lyz2",  "Ms4a1", "Cst3", "Fcer1a", "Gm1234", "Ppbp",  "Il7r",          "S100a8", "Ccr7", "Klrb1c", "St18"};
}

TEST(Genes, VersionsAreStrippedFromEnsemblIdsOnly) {
  EXPECT_EQ(strip_version("ENSG00000141510.12"), "ENSG00000141510");
  EXPECT_EQ(strip_version("ENSMUSG00000059552.7"), "ENSMUSG00000059552");
  EXPECT_EQ(strip_version("AC012345.1"), "AC012345.1");
  EXPECT_EQ(strip_version("ENSG00000182378.15_PAR_Y"), "ENSG00000182378_PAR_Y");
  EXPECT_EQ(strip_version("FBgn0000017.3"), "FBgn0000017");
}

TEST(Genes, IdsAreToldFromLookAlikes) {
  for (const char* id : {"ENSG00000141510", "ENSG00000141510.1", "ENSDARG00000000001", "FBgn0000017", "WBGene00000001"})
    EXPECT_TRUE(is_ensembl(id)) << id;
  for (const char* name :
       {"ENSG0000014151", "ENSA", "ENST00000269305", "ENSG00000141510x", "ENSG00000141510.", "FBgn1", ""})
    EXPECT_FALSE(is_ensembl(name)) << name;
}

TEST(Genes, KindFollowsMostNames) {
  EXPECT_EQ(classify_genes({"ENSG00000141510", "ENSG00000141511", "CD3_TotalSeqB"}), GeneKind::kEnsembl);
  EXPECT_EQ(classify_genes({"0", "1", "2"}), GeneKind::kNumber);
  EXPECT_EQ(classify_genes(human()), GeneKind::kSymbol);
  EXPECT_EQ(classify_genes({"", ""}), GeneKind::kNone);
}

TEST(Genes, OrganismComesFromIdsElseFromCase) {
  EXPECT_EQ(organism_of({"ENSMUSG00000059552", "ENSMUSG00000059553", "eGFP"}), "mouse");
  EXPECT_EQ(organism_of({"ENSG00000141510.3"}), "human");
  EXPECT_EQ(organism_of(human()), "human");
  EXPECT_EQ(organism_of(mouse()), "mouse");
}

TEST(Genes, FewNumberedOrMixedNamesProveNoOrganism) {
  EXPECT_EQ(organism_of({"TP53", "ACTB"}), "");
  std::vector<std::string> numbered;
  for (int at = 0; at < 100; ++at) numbered.push_back("Gene" + std::to_string(at));
  EXPECT_EQ(organism_of(numbered), "");
  std::vector<std::string> mixed = human();
  for (const std::string& name : mouse()) mixed.push_back(name);
  EXPECT_EQ(organism_of(mixed), "");
}

TEST(Genes, MouseClonesInUpperCaseAreNotHuman) {
  std::vector<std::string> names = human();
  names.push_back("0610005C13RIK");
  EXPECT_EQ(organism_of(names), "mouse");
}

}  // namespace
}  // namespace scvet
