// Made cells, and what a written h5ad holds, for the tests of the writer and of annotated copies.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "hdf5/hdf5_file.h"
#include "scvet/base/random.h"
#include "scvet/io/h5ad_writer.h"

namespace scvet::io::h5ad_fixture {

namespace fs = std::filesystem;

// Cells made from their numbers: gene g of cell c holds a value where a hash says so.
class MadeCells : public CellSource {
 public:
  MadeCells(std::int64_t n_cells, std::int64_t n_genes, std::string dtype, std::int64_t step) : step_(step) {
    info_ = {"X", "csr_matrix", std::move(dtype), n_cells, n_genes, -1};
    for (std::int64_t gene = 0; gene < n_genes; ++gene) var_.names.push_back("G" + std::to_string(gene));
  }
  static double value(std::int64_t cell, std::int64_t gene) {
    const std::uint64_t hash = mix(static_cast<std::uint64_t>(cell) * 1000003 + static_cast<std::uint64_t>(gene));
    return hash % 4 != 0 || cell % 10 == 3 ? 0 : static_cast<double>(hash >> 8 & 63) + 1;
  }
  const MatrixInfo& info() const override { return info_; }
  const Table& var() const override { return var_; }
  std::int64_t chunk_cells() const override { return step_; }
  void read(std::int64_t first, std::int64_t count, CellChunk& chunk) override {
    chunk = {first, count, {0}, {}, {}};
    for (std::int64_t cell = first; cell < first + count; ++cell) {
      for (std::int64_t gene = 0; gene < info_.n_genes; ++gene) {
        const double x = value(cell, gene);
        if (x == 0) continue;
        chunk.genes.push_back(static_cast<std::uint32_t>(gene));
        chunk.values.push_back(info_.dtype == "bool" ? 1 : x);
      }
      chunk.indptr.push_back(static_cast<std::int64_t>(chunk.genes.size()));
    }
  }

 private:
  MatrixInfo info_;
  Table var_;
  std::int64_t step_;
};

class H5adWriter : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(testing::TempDir()) / ("scvet_h5ad_" + std::string(info->name()) + std::to_string(getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    for (int cell = 0; cell < 57; ++cell) obs_.names.push_back("c" + std::to_string(cell));
    for (int gene = 0; gene < 31; ++gene) var_.names.push_back("G" + std::to_string(gene));
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string real(const std::string& name) const { return std::string(SCVET_REAL_DIR) + "/" + name; }
  H5adContent content() const {
    H5adContent made;
    made.obs = &obs_;
    made.var = &var_;
    return made;
  }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  fs::path folder_;
  Table obs_, var_;
};

inline std::string encoding(const hdf5::Object& object) {
  return object.text_attribute("encoding-type").value_or("none") + " " +
         object.text_attribute("encoding-version").value_or("none");
}

inline void expect_cells(const hdf5::Group& matrix, std::int64_t n_cells, std::int64_t n_genes) {
  EXPECT_EQ(encoding(matrix), "csr_matrix 0.1.0");
  EXPECT_EQ(matrix.integers_attribute("shape"), (std::vector<std::int64_t>{n_cells, n_genes}));
  const auto indptr = matrix.dataset("indptr").read_integers();
  const auto indices = matrix.dataset("indices").read_integers();
  const auto data = matrix.dataset("data").read_reals();
  ASSERT_EQ(indptr.size(), static_cast<std::size_t>(n_cells) + 1);
  ASSERT_EQ(static_cast<std::size_t>(indptr.back()), indices.size());
  ASSERT_EQ(indices.size(), data.size());
  std::size_t at = 0;
  for (std::int64_t cell = 0; cell < n_cells; ++cell) {
    ASSERT_EQ(static_cast<std::size_t>(indptr[static_cast<std::size_t>(cell)]), at);
    for (std::int64_t gene = 0; gene < n_genes; ++gene) {
      if (MadeCells::value(cell, gene) == 0) continue;
      ASSERT_EQ(indices[at], gene);
      ASSERT_EQ(data[at++], MadeCells::value(cell, gene));
    }
  }
}

}  // namespace scvet::io::h5ad_fixture
