#include "scvet/io/embedding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "scvet/base/error.h"
#include "scvet/base/files.h"
#include "scvet/io/columnar.h"
#include "scvet/io/npy.h"

namespace scvet::io {
namespace {

namespace fs = std::filesystem;

class EmbeddingFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("scvet_embedding_" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  fs::path folder_;
};

std::vector<std::vector<double>> rows_of(CellSource& source) {
  std::vector<std::vector<double>> rows;
  CellChunk chunk;
  for (std::int64_t cell = 0; cell < source.info().n_cells; ++cell) {
    source.read(cell, 1, chunk);
    rows.emplace_back(static_cast<std::size_t>(source.info().n_genes), 0.0);
    for (std::size_t at = 0; at < chunk.genes.size(); ++at) rows.back()[chunk.genes[at]] = chunk.values[at];
  }
  return rows;
}

TEST_F(EmbeddingFiles, NpyKeepsEveryBitAndNamesNoCells) {
  const std::vector<double> values = {0.1, -0.0, 1e-300, 2, 3, 4};
  write_npy(path("z.npy"), values.data(), 3, 2);
  const EmbeddingInput input = open_embedding(path("z.npy"), "");
  EXPECT_TRUE(input.names.empty());
  EXPECT_EQ(input.values->info().dtype, "float64");
  EXPECT_EQ(rows_of(*input.values), (std::vector<std::vector<double>>{{0.1, 0.0}, {1e-300, 2}, {3, 4}}));
}

TEST_F(EmbeddingFiles, NpyCutShortIsRefused) {
  const std::vector<double> values(64, 1.5);
  write_npy(path("z.npy"), values.data(), 16, 4);
  fs::resize_file(path("z.npy"), fs::file_size(path("z.npy")) - 1);
  try {
    open_embedding(path("z.npy"), "");
    FAIL();
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("ends before them"));
  }
}

TEST_F(EmbeddingFiles, NpyOfObjectsIsNeverOpened) {
  std::string header = "{'descr': '|O', 'fortran_order': False, 'shape': (2, 2), }";
  header.resize(117, ' ');
  write_file(path("o.npy"), std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(118) + '\0' + header + "\n");
  EXPECT_THROW(open_embedding(path("o.npy"), ""), DataError);
}

TEST_F(EmbeddingFiles, NpyInColumnOrderIsReadByRows) {
  std::string header = "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }";
  header.resize(117, ' ');
  const float values[] = {1, 4, 2, 5, 3, 6};
  write_file(path("f.npy"), std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(118) + '\0' + header + "\n" +
                                std::string(reinterpret_cast<const char*>(values), sizeof values));
  EXPECT_EQ(rows_of(*open_npy(path("f.npy"))), (std::vector<std::vector<double>>{{1, 2, 3}, {4, 5, 6}}));
}

TEST_F(EmbeddingFiles, TextTableGivesNamesAndColumns) {
  write_file(path("z.csv"), "cell,dim_1,dim_2\na,1,2.5\nb,3,-4\n");
  const EmbeddingInput input = open_embedding(path("z.csv"), "");
  EXPECT_EQ(input.names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(rows_of(*input.values), (std::vector<std::vector<double>>{{1, 2.5}, {3, -4}}));
}

TEST_F(EmbeddingFiles, ParquetGivesNamesAndColumns) {
  if (!parquet_writer_available()) GTEST_SKIP() << "the Arrow plugin is not built";
  Table table;
  table.index_name = "cell";
  table.names = {"a", "b"};
  table.columns = {real_column("z0", {0.25, -1}), real_column("z1", {1e-9, 7})};
  write_parquet(path("z.parquet"), table);
  const EmbeddingInput input = open_embedding(path("z.parquet"), "");
  EXPECT_EQ(input.names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(rows_of(*input.values), (std::vector<std::vector<double>>{{0.25, 1e-9}, {-1, 7}}));
}

TEST_F(EmbeddingFiles, ObsmOfAnH5adKeepsItsDoubles) {
  const std::string file = SCVET_REFERENCE_DIR "/trial/lock/input/counts.h5ad";
  if (!fs::exists(file)) GTEST_SKIP() << "no reference vectors at " << file;
  const EmbeddingInput input = open_embedding(file, "X_demo");
  EXPECT_EQ(input.values->info().n_genes, 5);
  EXPECT_EQ(input.names.size(), 569u);
  EXPECT_THROW(open_embedding(file, "X_other"), UsageError);
}

}  // namespace
}  // namespace scvet::io
