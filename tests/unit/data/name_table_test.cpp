#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "scvet/base/error.h"
#include "scvet/base/files.h"
#include "scvet/data/genes.h"

namespace scvet {
namespace {

const char* const kText =
    "# source: a test\n"
    "ENSG00000141510.4\tTP53\thuman\n"
    "ENSG00000141510\tTP53\thuman\n"
    "ENSG00000000001\tTWICE\thuman\nENSG00000000002\tTWICE\thuman\n"
    "ENSG00000000003\t\thuman\n"
    "ENSMUSG00000059552\tTrp53\tmouse\n";

std::string file(const std::string& name, const std::string& text) {
  const std::string path = testing::TempDir() + name;
  write_file(path, text);
  return path;
}

TEST(NameTable, MapsSymbolsWithinAnOrganismAndAmbiguousOnesToNothing) {
  const NameTable table = NameTable::load(file("genes.tsv", kText));
  EXPECT_EQ(table.ensembl("TP53", "human"), "ENSG00000141510");
  EXPECT_EQ(table.ensembl("TP53", "mouse"), std::nullopt);
  EXPECT_EQ(table.ensembl("TWICE", "human"), std::nullopt);
  EXPECT_EQ(table.ensembl("Trp53", "mouse"), "ENSMUSG00000059552");
  EXPECT_EQ(table.source(), "a test");
}

TEST(NameTable, ReadsGzippedText) {
  const NameTable table = NameTable::load(SCVET_TEST_DATA "/gene_names.tsv.gz");
  EXPECT_EQ(table.ensembl("TP53", "human"), "ENSG00000141510");
  EXPECT_EQ(table.source(), "made for the tests");
}

TEST(NameTable, ABadLineIsNamed) {
  try {
    NameTable::load(file("bad.tsv", "# source: x\nENSG00000141510\tTP53\n"));
    FAIL();
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("line 2"));
  }
}

TEST(NameTable, TheEnvironmentVariableComesFirstAndMustExist) {
  const std::string path = file("env.tsv", kText);
  setenv("SCVET_GENE_TABLE", path.c_str(), 1);
  EXPECT_EQ(NameTable::find_default().value().path(), path);
  setenv("SCVET_GENE_TABLE", "/nowhere/genes.tsv", 1);
  EXPECT_THROW(NameTable::find_default(), UsageError);
  unsetenv("SCVET_GENE_TABLE");
}

}  // namespace
}  // namespace scvet
