#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "scvet/base/error.h"
#include "scvet/base/files.h"
#include "scvet/io/format.h"
#include "text/mtx_source.h"

namespace scvet::io {
extern const FormatRecord tenx_mtx_format;
extern const FormatRecord tenx_h5_format;
namespace {
namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

CellChunk read_all(CellFile& file) {
  CellChunk chunk;
  const auto source = file.open_matrix(file.matrices().at(0).name);
  source->read(0, source->info().n_cells, chunk);
  return chunk;
}

// A folder with 3 genes and 2 cells.
class MtxFolder : public testing::Test {
 protected:
  MtxFolder()
      : folder_(testing::TempDir() + "mtx_" + std::to_string(getpid()) + "_" +
                testing::UnitTest::GetInstance()->current_test_info()->name()) {}
  ~MtxFolder() override { fs::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) { write_file(folder_ + "/" + name, text); }
  void write_lists(const std::string& prefix = "") {
    write(prefix + "features.tsv",
          "ENSG01\tA\tGene Expression\nENSG02\tB\tGene Expression\nab\tCD3\tAntibody Capture\n");
    write(prefix + "barcodes.tsv", "c1\nc2\n");
  }
  void write_matrix(const std::string& entries, const std::string& sizes = "3 2 3",
                    const std::string& name = "matrix.mtx") {
    write(name, "%%MatrixMarket matrix coordinate integer general\n% note\n" + sizes + "\n" + entries);
  }
  std::string message() {
    try {
      const auto file = tenx_mtx_format.open(folder_, {});
      read_all(*file);
    } catch (const DataError& error) {
      return error.what();
    }
    return "no error";
  }
  std::string folder_;
};

TEST_F(MtxFolder, CellsAreColumnsAndFeaturesKeepTheirTypes) {
  write_lists();
  write_matrix("3 1 7\n1 1 5\n2 2 9\n");
  ASSERT_TRUE(tenx_mtx_format.recognises(folder_));
  const auto file = tenx_mtx_format.open(folder_, {});
  EXPECT_THAT(file->obs().names, ElementsAre("c1", "c2"));
  EXPECT_THAT(file->var().names, ElementsAre("ENSG01", "ENSG02", "ab"));
  EXPECT_EQ(file->var().find("feature_name")->text(2), "CD3");
  EXPECT_THAT(file->notes().at(0), HasSubstr("Antibody Capture (1)"));
  const CellChunk chunk = read_all(*file);
  EXPECT_THAT(chunk.indptr, ElementsAre(0, 2, 3));
  EXPECT_THAT(chunk.genes, ElementsAre(0, 2, 1));
  EXPECT_THAT(chunk.values, ElementsAre(5, 7, 9));
}

TEST_F(MtxFolder, EntriesInAnyOrderGiveTheSameCells) {
  write_lists();
  write_matrix("2 2 9\n3 1 7\n1 1 5\n");
  const auto file = tenx_mtx_format.open(folder_, {});
  const CellChunk chunk = read_all(*file);
  EXPECT_THAT(chunk.indptr, ElementsAre(0, 2, 3));
  EXPECT_THAT(chunk.genes, ElementsAre(0, 2, 1));
  EXPECT_THAT(chunk.values, ElementsAre(5, 7, 9));
}

TEST_F(MtxFolder, CellsMayBeReadAgainAndInParts) {
  write_lists();
  write_matrix("3 1 7\n1 1 5\n2 2 9\n");
  const auto file = tenx_mtx_format.open(folder_, {});
  const auto source = file->open_matrix("matrix");
  CellChunk chunk;
  for (const std::int64_t cell : {1, 0, 1}) {
    source->read(cell, 1, chunk);
    EXPECT_EQ(chunk.first_cell, cell);
    EXPECT_EQ(chunk.values.size(), cell == 0 ? 2u : 1u);
  }
}

TEST_F(MtxFolder, CellsInRowsAreToldByTheLists) {
  write_lists();
  write_matrix("1 3 7\n1 1 5\n2 2 9\n", "2 3 3");
  const auto file = tenx_mtx_format.open(folder_, {});
  EXPECT_THAT(file->notes().back(), HasSubstr("cells in rows"));
  EXPECT_THAT(read_all(*file).genes, ElementsAre(0, 2, 1));
}

TEST_F(MtxFolder, PrefixesBindTheThreeFilesAndSeveralMatricesAreAskedFor) {
  write_lists("GSM1_");
  write_matrix("1 1 5\n", "3 2 1", "GSM1_matrix.mtx");
  EXPECT_EQ(tenx_mtx_format.open(folder_, {})->obs().rows(), 2);
  write_lists("GSM2_");
  write_matrix("1 1 5\n", "3 2 1", "GSM2_matrix.mtx");
  EXPECT_THAT(message(), testing::AllOf(HasSubstr("GSM1_matrix.mtx"), HasSubstr("GSM2_matrix.mtx")));
  EXPECT_EQ(tenx_mtx_format.open(folder_ + "/GSM2_matrix.mtx", {})->obs().rows(), 2);
}

TEST_F(MtxFolder, BrokenFilesAreNamedWithTheLine) {
  EXPECT_FALSE(tenx_mtx_format.recognises(folder_));
  write_matrix("1 1 5\n");
  EXPECT_THAT(message(), HasSubstr("features.tsv or genes.tsv"));
  write_lists();
  EXPECT_THAT(message(), HasSubstr("says 3 entries, found 1"));
  write_matrix("1 1 5\n4 1 5\n1 2 5\n");
  EXPECT_THAT(message(), testing::AllOf(HasSubstr("line 5"), HasSubstr("outside the 3 x 2")));
  write_matrix("1 1 5\n1 x 5\n1 2 5\n");
  EXPECT_THAT(message(), testing::AllOf(HasSubstr("line 5"), HasSubstr("'1 x 5'")));
  write_matrix("1 1 5\n1 2 5\n2 2 5\n3 2 5\n");
  EXPECT_THAT(message(), HasSubstr("more entries than the 3"));
  write_matrix("1 1 5\n", "4 2 1");
  EXPECT_THAT(message(), HasSubstr("expected 3 features x 2 barcodes"));
  write("matrix.mtx", "%%MatrixMarket matrix array real general\n3 2\n");
  EXPECT_THAT(message(), HasSubstr("coordinate"));
}

TEST(TenxMtx, TheTwinOfTheV3FileGivesTheSameMatrix) {
  const std::string folder = std::string(SCVET_REAL_DIR) + "/tenx_v3_mtx";
  const std::string h5 = std::string(SCVET_REAL_DIR) + "/tenx_v3_filtered_feature_bc_matrix.h5";
  if (!fs::exists(folder)) GTEST_SKIP() << "not here: " << folder;
  ASSERT_TRUE(tenx_mtx_format.recognises(folder));
  const auto text = tenx_mtx_format.open(folder, {}), binary = tenx_h5_format.open(h5, {});
  EXPECT_EQ(text->obs().names, binary->obs().names);
  EXPECT_EQ(text->var().names, binary->var().names);
  EXPECT_EQ(text->var().find("feature_name")->strings, binary->var().find("feature_name")->strings);
  const CellChunk a = read_all(*text), b = read_all(*binary);
  EXPECT_EQ(a.indptr, b.indptr);
  EXPECT_EQ(a.genes, b.genes);
  EXPECT_EQ(a.values, b.values);
  EXPECT_EQ(a.values.size(), 23866u);
}

}  // namespace
}  // namespace scvet::io
