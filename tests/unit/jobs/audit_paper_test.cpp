#include "audit_paper.h"

#include <gtest/gtest.h>

#include <cmath>

#include "scvet/base/error.h"

namespace scvet::jobs {
namespace {

audit::DatasetAudit five_cells() {
  audit::DatasetAudit outcome;
  for (const double p : {.01, .009, .05, .5, audit::kNaN}) {
    audit::CellOutcome cell;
    cell.size = 100;
    cell.p_same = p;
    cell.p_uniform = 1 - p;
    cell.best = {.row = 1, .intersection = 1, .union_size = 4, .multiplicity = 1};
    outcome.cells.push_back(cell);
  }
  return outcome;
}

TEST(PaperLine, ThresholdsAreStrictAndUndefinedPIsLeftOut) {
  const PaperLine line = paper_line(five_cells(), false);
  EXPECT_EQ(line.null, "same_cell");
  EXPECT_EQ(line.n, 5);
  EXPECT_EQ(line.n_p, 4);
  EXPECT_EQ(line.n_05, 2);
  EXPECT_EQ(line.n_01, 1);
  EXPECT_EQ(line.share_05, .5);
  EXPECT_EQ(line.mean_jstar, .25);
  EXPECT_EQ(line.max_jstar, .25);
}

TEST(PaperLine, UniformPIsTakenWhereItWasAskedForAndMissedCellsCountAsZero) {
  audit::DatasetAudit outcome = five_cells();
  outcome.cells[0].p_uniform = .001;
  outcome.cells[1].best = {};
  outcome.cells[1].no_candidate = true;
  outcome.cells.push_back({});  // without a gene: not among those that could have a candidate
  const PaperLine line = paper_line(outcome, true);
  EXPECT_EQ(line.null, "uniform");
  EXPECT_EQ(line.n_05, 1);
  EXPECT_EQ(line.n_01, 1);
  EXPECT_EQ(line.share_no_candidate, .2);
  EXPECT_DOUBLE_EQ(line.mean_jstar, 4 * .25 / 6);
  EXPECT_EQ(
      paper_sentence(line, "lsh"),
      "n 6, mean J* 0.167, max J* 0.250, p < 0.05 25.00 %, p < 0.01 25.00 %, without a candidate 20.00 % (engine lsh, "
      "null uniform, 2 cells have no p)");
}

TEST(PaperLine, NoCellsGiveNoNumbers) {
  const PaperLine line = paper_line({}, true);
  EXPECT_TRUE(std::isnan(line.mean_jstar) && std::isnan(line.share_05) && std::isnan(line.share_no_candidate));
  EXPECT_NE(paper_sentence(line, "lsh").find("mean J* undefined"), std::string::npos);
}

TEST(WithPaper, SetsTheRecipeAndRefusesWhatContradictsIt) {
  AuditJobOptions options;
  EXPECT_EQ(with_paper(options).engine, "exact");
  options.paper = true;
  EXPECT_EQ(with_paper(options).engine, "lsh");
  EXPECT_EQ(with_paper(options).nulls, std::vector<std::string>{"uniform"});
  options.engine = "lsh";
  options.engine_given = true;
  options.nulls = {"uniform"};
  options.null_given = true;
  EXPECT_EQ(with_paper(options).engine, "lsh");
  options.engine = "exact";
  EXPECT_THROW(with_paper(options), UsageError);
  options.engine_given = false;
  options.nulls = {"uniform", "same_cell"};
  try {
    with_paper(options);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("--null says uniform same_cell"), std::string::npos) << error.what();
  }
}

TEST(PublishedRows, AreTheFourOfTheTable) {
  ASSERT_EQ(published_rows().size(), 4u);
  EXPECT_EQ(published_rows()[0].n, 2700);
  EXPECT_EQ(published_rows()[3].max_jstar, .336);
}

}  // namespace
}  // namespace scvet::jobs
