#include "scvet/report/grid.h"

#include <gtest/gtest.h>

#include <cmath>

namespace scvet::report {
namespace {

TEST(Grid, CellsKeepTheExactNumberBehindTheRoundedText) {
  EXPECT_EQ(percent_cell(.05123).text, "5.1 %");
  EXPECT_EQ(percent_cell(.05123).value, .05123);
  EXPECT_EQ(count_cell(1234567).text, "1,234,567");
  EXPECT_EQ(number_cell(.123456).text, "0.123");
  EXPECT_EQ(number_cell(123456.7).text, "123,457");
  EXPECT_EQ(fixed_cell(1, 3).text, "1.000");
  EXPECT_EQ(interval_cell(.001, .0234).text, "0.1 to 2.3 %");
  EXPECT_EQ(p_cell(3e-20).text, "< 1e-12");
  EXPECT_EQ(p_cell(3e-20).value, 3e-20);
  EXPECT_EQ(p_cell(0).text, "0");
}

TEST(Grid, MissingNumbersShowAsADash) {
  for (const Cell& cell : {percent_cell(std::nan("")), number_cell(std::nan("")), fixed_cell(std::nan(""), 2),
                           interval_cell(0, std::nan(""))}) {
    EXPECT_EQ(cell.text, "\xE2\x80\x93");
    EXPECT_TRUE(std::isnan(cell.value));
  }
}

TEST(Grid, DataTableKeepsItsColumnsAndAlignsNumbers) {
  Table table;
  table.index_name = "cell";
  table.names = {"c1", "c2"};
  table.columns = {string_column("type", {"B", "T"}), integer_column("n", {1, 2000}), real_column("j", {.5, NAN})};
  const Grid grid = to_grid(table, "cells", "Cells");
  ASSERT_EQ(grid.columns.size(), 4u);
  EXPECT_FALSE(grid.columns[1].numeric);
  EXPECT_TRUE(grid.columns[2].numeric && grid.columns[3].numeric);
  EXPECT_EQ(grid.rows[1][2].text, "2,000");
  EXPECT_EQ(grid.rows[0][3].value, .5);
  EXPECT_EQ(grid.rows[1][3].text, "");
}

}  // namespace
}  // namespace scvet::report
