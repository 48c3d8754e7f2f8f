#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "columnar/gene_metadata.h"
#include "plugin_folder.h"
#include "scvet/base/error.h"
#include "scvet/base/files.h"
#include "scvet/io/format.h"

namespace scvet::io {
namespace {
namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string kCells = SCVET_TEST_DATA "/count_lists/cells.parquet";
const std::string kGenes = SCVET_TEST_DATA "/count_lists/gene_metadata.parquet";

class CountLists : public testing::Test {
 protected:
  CountLists()
      : folder_(testing::TempDir() + "counts_" + std::to_string(getpid()) + "_" +
                testing::UnitTest::GetInstance()->current_test_info()->name()) {
    make_folders(folder_ + "/data");
    cells_ = folder_ + "/data/cells.parquet";
    fs::copy_file(kCells, cells_, fs::copy_options::overwrite_existing);
  }
  ~CountLists() override { fs::remove_all(folder_); }
  void SetUp() override { SKIP_WITHOUT_ARROW; }
  static void write(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;  // thousands of files: no sync each
  }
  std::string folder_, cells_;
};

CellChunk read(CellFile& file) {
  CellChunk chunk;
  file.open_matrix("expressions")->read(0, file.matrices().at(0).n_cells, chunk);
  return chunk;
}

std::string complaint(const std::string& path, const OpenOptions& options = {}) {
  try {
    read(*open_cells(path, options));
  } catch (const Error& error) {
    return std::to_string(error.exit_code()) + ": " + error.what();
  }
  return "no error";
}

TEST_F(CountLists, GenesAreNamedByTheTableBesideTheFileAndMarkersAreLeftOut) {
  const auto file = open_cells(kCells);
  EXPECT_STREQ(file->format(), "parquet");
  const MatrixInfo info = file->matrices().at(0);
  EXPECT_EQ(info.kind, "parquet_counts");
  EXPECT_EQ(info.dtype, "float32");
  EXPECT_FALSE(info.ranked);
  EXPECT_THAT(file->var().names, ElementsAre("ENSG00000090382", "ENSG00000075624", "ENSG00000167286"));
  EXPECT_THAT(file->var().find("gene_symbol")->strings, ElementsAre("LYZ", "ACTB", "CD3D"));
  EXPECT_THAT(file->obs().names, ElementsAre("x_1", "x_2", "x_3"));
  EXPECT_EQ(file->obs().index_name, "BARCODE_SUB_LIB_ID");
  EXPECT_THAT(file->obs().column_names(), ElementsAre("drug"));
  const CellChunk chunk = read(*file);
  EXPECT_THAT(chunk.indptr, ElementsAre(0, 2, 3, 3));
  EXPECT_THAT(chunk.genes, ElementsAre(0, 2, 1));
  EXPECT_THAT(chunk.values, ElementsAre(1, 3, 2));
  EXPECT_THAT(file->notes(), Contains("3 entries with negative values left out: markers"));
}

TEST_F(CountLists, TheTableOfGenesIsFoundInMetadataBesideTheFolderAndByTheDictionaryOption) {
  EXPECT_THAT(open_cells(cells_)->var().names, ElementsAre("0", "1", "2", "3", "4", "5", "6", "7"));
  OpenOptions options;
  options.dictionary = kGenes;
  EXPECT_EQ(open_cells(cells_, options)->var().names.at(0), "ENSG00000090382");
  options.dictionary = fs::path(kGenes).parent_path().string();
  EXPECT_EQ(open_cells(cells_, options)->var().names.at(0), "ENSG00000090382");
  make_folders(folder_ + "/metadata");
  fs::copy_file(kGenes, folder_ + "/metadata/gene_metadata.parquet");
  EXPECT_EQ(open_cells(cells_)->var().names.at(0), "ENSG00000090382");
}

TEST_F(CountLists, AFolderIsItsFilesInOrderOfName) {
  fs::copy_file(kGenes, folder_ + "/data/gene_metadata.parquet");
  fs::copy_file(kCells, folder_ + "/data/b.parquet");
  const auto file = open_cells(folder_ + "/data");
  EXPECT_EQ(file->matrices().at(0).n_cells, 6);
  EXPECT_THAT(read(*file).values, ElementsAre(1, 3, 2, 1, 3, 2));
  EXPECT_THAT(file->obs().names.at(5), "5");  // barcodes are not unique any more
  EXPECT_THAT(file->notes(),
              Contains("column 'BARCODE_SUB_LIB_ID' does not name the cells: 'x_1' stands in rows 0 and 3"));
}

TEST_F(CountLists, AGeneThatTheTableLacksIsRefusedWithItsRow) {
  const std::string table = folder_ + "/data/gene_metadata.tsv";
  write(table, "token_id\tensembl_id\tgene_symbol\n7\tENSG00000167286\tCD3D\n4\tENSG00000090382\tLYZ\n");
  EXPECT_THAT(complaint(cells_), AllOf(HasSubstr("3: "), HasSubstr("row 1: token 5 is not in"), HasSubstr(table)));
}

TEST_F(CountLists, ColumnsOfTheTableAreToldByTheirContent) {
  const std::string table = folder_ + "/gene_metadata.tsv";
  write(table, "number\tid\tlabel\n7\tENSG00000167286\tCD3D\n4\tENSG00000090382\tLYZ\n");
  const GeneMetadata metadata = read_gene_metadata(table);
  EXPECT_THAT(metadata.tokens, ElementsAre(4, 7));
  EXPECT_THAT(metadata.var.names, ElementsAre("ENSG00000090382", "ENSG00000167286"));
  EXPECT_THAT(metadata.var.find("gene_symbol")->strings, ElementsAre("LYZ", "CD3D"));
  write(table, "number\tid\n7\tENSG00000167286\n7\tENSG00000090382\n");
  EXPECT_THROW(read_gene_metadata(table), DataError);
}

TEST_F(CountLists, AParquetFileWithAnyByteChangedIsReadOrRefused) {
  const std::string bytes = read_file(kCells);
  for (std::size_t at = 0; at < bytes.size(); at += 2) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ (at % 4 ? '\x80' : '\x01'));
    write(cells_, changed);
    const std::string answer = complaint(cells_);
    EXPECT_TRUE(answer == "no error" || answer.starts_with("3: ")) << at << ": " << answer;
  }
}

TEST_F(CountLists, AParquetFileCutAnywhereIsRefused) {
  const std::string bytes = read_file(kCells);
  for (std::size_t size = 4; size < bytes.size(); size += 7) {
    write(cells_, bytes.substr(0, size));
    EXPECT_THAT(complaint(cells_), AllOf(testing::StartsWith("3: "), HasSubstr("cells.parquet"))) << size;
  }
}

TEST_F(CountLists, TheTahoeVectorLosesItsMarkersAndNothingElse) {
  const std::string path = SCVET_REFERENCE_DIR "/audit/tahoe_style.parquet";
  if (!fs::exists(path)) GTEST_SKIP() << "absent: " << path;
  const auto file = open_cells(path);
  const CellChunk chunk = read(*file);
  EXPECT_EQ(chunk.n_cells, 12);
  EXPECT_EQ(std::vector<std::uint32_t>(chunk.genes.begin(), chunk.genes.begin() + 5),
            (std::vector<std::uint32_t>{4, 6, 7, 8, 11}));
  EXPECT_EQ(std::vector<double>(chunk.values.begin(), chunk.values.begin() + 5), (std::vector<double>{6, 22, 2, 1, 3}));
  for (const double value : chunk.values) EXPECT_GT(value, 0);
  EXPECT_THAT(file->notes(), Contains("12 entries with negative values left out: markers"));
}

}  // namespace
}  // namespace scvet::io
