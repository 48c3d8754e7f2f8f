#include "scvet/trial/embedding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "scvet/data/memory_cells.h"

namespace scvet::trial {
namespace {

using Cells = std::vector<std::vector<double>>;

// Rows of three cells each, then two control cells.
Design design_of(std::size_t n_rows) {
  Design design;
  for (std::size_t row = 0; row < n_rows; ++row) {
    design.rows.push_back({"row" + std::to_string(row), "T" + std::to_string(row), {}});
    for (int cell = 0; cell < 3; ++cell) {
      design.rows.back().cells.push_back(static_cast<std::int64_t>(design.cell_names.size()));
      design.cell_names.push_back("cell" + std::to_string(design.cell_names.size()));
    }
  }
  for (int cell = 0; cell < 2; ++cell) {
    design.nt_cells.push_back(static_cast<std::int64_t>(design.cell_names.size()));
    design.cell_names.push_back("control" + std::to_string(cell));
  }
  return design;
}

std::vector<std::int64_t> all_rows(const Design& design) {
  std::vector<std::int64_t> rows;
  for (std::size_t row = 0; row < design.rows.size(); ++row) rows.push_back(static_cast<std::int64_t>(row));
  return rows;
}

EmbeddingFlags scan(const Design& design, const Cells& cells, const std::vector<std::uint64_t>& hash) {
  EmbeddingScan scan(design, all_rows(design), hash);
  for (std::size_t cell = 0; cell < cells.size(); ++cell) scan.add(static_cast<std::int64_t>(cell), cells[cell]);
  return scan.finish();
}

std::vector<std::uint64_t> distinct(std::size_t n) {
  std::vector<std::uint64_t> hash(n);
  for (std::size_t cell = 0; cell < n; ++cell) hash[cell] = cell;
  return hash;
}

TEST(EmbeddingScan, OneVectorARowIsConstantWithinRows) {
  const Design design = design_of(4);
  Cells cells;
  for (int cell = 0; cell < 14; ++cell) cells.push_back({std::fmod(1.7 * (cell / 3 + 1), 1.0), 0.3 * (cell / 3)});
  EXPECT_TRUE(scan(design, cells, distinct(14)).constant_within_row);
  for (std::size_t cell = 0; cell < cells.size(); ++cell) cells[cell][0] += 0.05 * static_cast<double>(cell % 7);
  EXPECT_FALSE(scan(design, cells, distinct(14)).constant_within_row);
}

TEST(EmbeddingScan, EqualCountsMustHaveEqualEmbeddings) {
  const Design design = design_of(1);
  Cells cells{{1, 0}, {1, 0}, {0, 1}, {0, 1}, {2, 2}};
  const std::vector<std::uint64_t> hash{5, 5, 6, 6, 7};
  const EmbeddingFlags same = scan(design, cells, hash);
  EXPECT_EQ(same.groups, 2);
  EXPECT_EQ(same.cells, 4);
  EXPECT_FALSE(same.same_counts_different_embedding);
  cells[1][0] += 0.001;
  const EmbeddingFlags other = scan(design, cells, hash);
  EXPECT_EQ(other.differing, 1);
  EXPECT_TRUE(other.same_counts_different_embedding);
}

TEST(EmbeddingDelta, IsTheUnitDifferenceOfMeans) {
  const Design design = design_of(1);
  EmbeddingDelta delta(design, all_rows(design), 2);
  const Cells cells{{3, 0}, {3, 0}, {3, 12}, {0, 0}, {0, 0}};
  for (std::size_t cell = 0; cell < cells.size(); ++cell) delta.add(static_cast<std::int64_t>(cell), cells[cell]);
  EXPECT_EQ(delta.finish(), (std::vector<double>{3.0 / 5, 4.0 / 5}));
}

TEST(EmbeddingDelta, RowLikeTheControlsStaysZero) {
  const Design design = design_of(1);
  EmbeddingDelta delta(design, all_rows(design), 2);
  for (std::int64_t cell = 0; cell < 5; ++cell) delta.add(cell, std::vector<double>{1, 2});
  EXPECT_EQ(delta.finish(), (std::vector<double>{0, 0}));
}

TEST(VisitCells, AnyOrderAndAnyMemoryGiveEachCellOnce) {
  MemoryCells source("z", "float64", numbered_dimensions(2));
  for (int cell = 0; cell < 7; ++cell) source.add({0, 1}, {static_cast<double>(cell) + 0.1, -1.0});
  const std::vector<std::vector<std::int64_t>> orders = {{0, 1, 2, 3, 4, 5, 6}, {6, 2, 4, 0}, {1, 3, 6}};
  for (const auto& order : orders)
    for (const std::int64_t memory : {std::int64_t{1}, std::int64_t{32}, std::int64_t{1} << 20}) {
      std::vector<double> seen;
      visit_cells(source, order, memory, [&](std::int64_t at, std::span<const double> values) {
        EXPECT_EQ(static_cast<std::size_t>(at), seen.size());
        seen.push_back(values[0]);
      });
      std::vector<double> expected;
      for (const std::int64_t cell : order) expected.push_back(static_cast<double>(cell) + 0.1);
      EXPECT_EQ(seen, expected);
    }
}

}  // namespace
}  // namespace scvet::trial
