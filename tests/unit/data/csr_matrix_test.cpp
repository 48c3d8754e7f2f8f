#include "scvet/data/csr_matrix.h"

#include <gtest/gtest.h>

#include "scvet/data/memory_cells.h"

namespace scvet {
namespace {

MemoryCells three_cells() {
  Table var;
  var.names = {"g0", "g1", "g2", "g3"};
  MemoryCells cells("X", "float32", var);
  cells.add({0, 3}, {1, 5});
  cells.add({}, {});
  cells.add({1}, {2});
  return cells;
}

TEST(CsrMatrix, HoldsTheCellsOfASource) {
  MemoryCells source = three_cells();
  const CsrMatrix matrix = read_csr(source);
  EXPECT_EQ(matrix.n_cells, 3);
  EXPECT_EQ(matrix.n_genes, 4);
  EXPECT_EQ(matrix.indptr, (std::vector<std::int64_t>{0, 2, 2, 3}));
  EXPECT_EQ(matrix.genes, (std::vector<std::uint32_t>{0, 3, 1}));
  EXPECT_EQ(matrix.values, (std::vector<float>{1, 5, 2}));
}

TEST(CsrMatrix, SelectedCellsComeInTheOrderGiven) {
  MemoryCells source = three_cells();
  const CsrMatrix matrix = read_csr(source);
  const std::vector<std::int64_t> cells = {2, 1, 0};
  const CsrMatrix chosen = select_cells(matrix.view(), cells);
  EXPECT_EQ(chosen.indptr, (std::vector<std::int64_t>{0, 1, 1, 3}));
  EXPECT_EQ(chosen.genes, (std::vector<std::uint32_t>{1, 0, 3}));
  EXPECT_EQ(chosen.view().row_values(2)[1], 5);
}

}  // namespace
}  // namespace scvet
