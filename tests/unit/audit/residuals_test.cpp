#include "scvet/audit/residuals.h"

#include <gtest/gtest.h>

#include <cmath>

#include "scvet/base/random.h"

namespace scvet::audit {
namespace {

CellOutcome cell_of(std::uint32_t size, double jaccard) {
  CellOutcome cell;
  cell.size = size;
  cell.best = {.row = 0,
               .intersection = static_cast<std::uint32_t>(std::lround(jaccard * 1e6)),
               .union_size = 1000000,
               .multiplicity = 1};
  return cell;
}

// J* = level of the type + slope x + curve x^2 exactly, x = ln|S|.
struct Exact {
  std::vector<CellOutcome> cells;
  CellAnnotations annotations;
  Exact() {
    annotations.label_levels = {"a", "b", "flagged only"};
    Stream stream(5);
    for (int number = 0; number < 200; ++number) {
      const auto size = static_cast<std::uint32_t>(200 + stream.below(3000));
      const double x = std::log(static_cast<double>(size));
      const std::int32_t type = number % 3 == 2 ? -1 : number % 3;
      cells.push_back(cell_of(size, .05 + .1 * (type + 1) + .02 * x + .003 * x * x));
      annotations.label.push_back(type);
    }
  }
};

TEST(ResidualLine, DepthAndTypeAreTakenOffWhole) {
  Exact exact;
  const ResidualLine line = residual_line(exact.cells, exact.annotations, 20);
  EXPECT_EQ(line.n_fitted, 200);
  EXPECT_NEAR(line.explained, 1, 1e-6);
  EXPECT_NEAR(line.max, 0, 1e-5);
  CellAnnotations none;
  EXPECT_LT(residual_line(exact.cells, none, 20).explained, .9);
}

TEST(ResidualLine, FlaggedCellsStandOutAndDoNotBendTheFit) {
  Exact exact;
  const ResidualLine before = residual_line(exact.cells, exact.annotations, 20);
  for (int number = 0; number < 40; ++number) {
    CellOutcome copy = exact.cells[static_cast<std::size_t>(number)];
    copy.best.intersection += 300000;
    copy.exact = true;
    exact.cells.push_back(copy);
    exact.annotations.label.push_back(exact.annotations.label[static_cast<std::size_t>(number)]);
  }
  exact.cells.push_back(exact.cells.back());  // of a type without an unflagged cell
  exact.annotations.label.push_back(2);
  const ResidualLine line = residual_line(exact.cells, exact.annotations, 20);
  EXPECT_EQ(line.n_flagged, 40);
  EXPECT_EQ(line.n_fitted, before.n_fitted);
  EXPECT_NEAR(line.mean_flagged, .3, 1e-4);
  EXPECT_EQ(line.above_99_flagged, 1);
  EXPECT_EQ(line.explained, before.explained);
}

TEST(ResidualLine, AboutFivePercentOfUnflaggedCellsLieAboveTheirOwn95Point) {
  std::vector<CellOutcome> cells;
  Stream stream(6);
  for (int number = 0; number < 1000; ++number)
    cells.push_back(cell_of(static_cast<std::uint32_t>(300 + stream.below(900)), .2 + .2 * stream.unit()));
  const ResidualLine line = residual_line(cells, {}, 20);
  EXPECT_NEAR(line.above_95, .05, .002);
  EXPECT_NEAR(line.above_99, .01, .002);
  EXPECT_TRUE(std::isnan(line.mean_flagged));
}

TEST(ResidualLine, FewCellsOrOneSizeAreNoFault) {
  std::vector<CellOutcome> cells(29, cell_of(500, .3));
  EXPECT_FALSE(residual_line(cells, {}, 20).reason.empty());
  cells.push_back(cell_of(500, .4));
  const ResidualLine line = residual_line(cells, {}, 20);
  EXPECT_TRUE(line.reason.empty());
  EXPECT_NEAR(line.max, .4 - (29 * .3 + .4) / 30, 1e-9);
  EXPECT_FALSE(residual_line(cells, {}, 600).reason.empty());
}

}  // namespace
}  // namespace scvet::audit
