// Pseudo-rows, halves, and what a second reading of the counts must agree on.
#include "scvet/trial/label_audits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "memory_screen.h"
#include "scvet/base/parallel.h"
#include "scvet/trial/screen.h"

namespace scvet::trial {
namespace {

using testing::MemorySource;
using testing::small_screen;
using testing::SmallScreen;

TEST(NullRows, CopyTheNumberAndTheBatchesOfARowFromTheControlsAlone) {
  const Design design = small_screen().design();
  const std::vector<std::int64_t> eligible{0, 1, 5, 9, 12};
  const std::set<std::int64_t> controls(design.nt_cells.begin(), design.nt_cells.end());
  const std::vector<NullRow> rows = draw_null_rows(design, eligible);
  ASSERT_EQ(rows.size(), 200u);
  std::set<std::int64_t> used;
  for (const NullRow& row : rows) {
    const std::vector<std::int64_t>& like = design.rows[static_cast<std::size_t>(row.like)].cells;
    EXPECT_THAT(eligible, ::testing::Contains(row.like));
    used.insert(row.like);
    std::map<std::int32_t, int> mix, expected;
    for (const std::int64_t cell : like) ++expected[design.batch_of_cell[static_cast<std::size_t>(cell)]];
    for (const std::int64_t cell : row.matched) ++mix[design.batch_of_cell[static_cast<std::size_t>(cell)]];
    EXPECT_EQ(mix, expected);
    for (const auto& cells : {row.matched, row.ungrouped}) {
      EXPECT_EQ(cells.size(), like.size());
      EXPECT_EQ(std::set<std::int64_t>(cells.begin(), cells.end()).size(), cells.size());
      for (const std::int64_t cell : cells) EXPECT_TRUE(controls.contains(cell));
    }
  }
  EXPECT_EQ(used.size(), eligible.size());
}

TEST(NullRows, ABatchWithTooFewControlsIsFilledFromTheOthers) {
  SmallScreen screen = small_screen();
  const Design before = screen.design();
  for (const std::int64_t cell : before.nt_cells)
    screen.obs.columns[2].strings[static_cast<std::size_t>(cell)] = "only";
  const Design design = screen.design();
  const std::vector<std::int64_t> eligible{3};
  for (const NullRow& row : draw_null_rows(design, eligible, 5))
    EXPECT_EQ(row.matched.size(), design.rows[3].cells.size());
  EXPECT_TRUE(draw_null_rows(design, {}).empty());
}

TEST(LabelAudits, AgreeWithTheFirstReadingAndTakeAnyMemoryAndThreads) {
  const SmallScreen screen = small_screen();
  const Design design = screen.design();
  MemorySource source = screen.source();
  const Screen scan = scan_screen(source, design, {}, "small.h5ad");
  std::vector<LabelAudits> found;
  for (const auto& [memory, threads] : {std::pair<std::int64_t, int>{1 << 20, 1}, {1, 3}}) {
    set_workers(threads);
    found.push_back(scan_label_audits(source, design, scan.eligible, {.memory_bytes = memory}, "small.h5ad"));
  }
  set_workers(0);
  for (const LabelAudits& audits : found) {
    EXPECT_EQ(audits.counts_digest, scan.counts_digest);
    EXPECT_EQ(audits.y_equal, found[0].y_equal);
    EXPECT_EQ(audits.y_free, found[0].y_free);
    EXPECT_EQ(audits.first_half, found[0].first_half);
    EXPECT_EQ(audits.null_matched, found[0].null_matched);
    for (std::size_t at = 0; at < scan.eligible.size(); ++at) {
      EXPECT_EQ(audits.y[at], scan.rows[static_cast<std::size_t>(scan.eligible[at])].y);
      EXPECT_EQ(audits.d15[at], scan.rows[static_cast<std::size_t>(scan.eligible[at])].d15);
    }
  }
  // A row of n0 cells has one equal-n label, its own; and the n-free label of n0 cells is the label.
  for (std::size_t at = 0; at < scan.eligible.size(); ++at) {
    if (design.rows[static_cast<std::size_t>(scan.eligible[at])].cells.size() != 10) continue;
    EXPECT_NEAR(found[0].y_equal[at], found[0].y[at], 1e-14);
    EXPECT_NEAR(found[0].y_free[at], found[0].y[at], 1e-14);
  }
}

TEST(LabelAudits, NullRowsAloneSayNothingOfARow) {
  const SmallScreen screen = small_screen();
  const Design design = screen.design();
  const std::vector<std::int64_t> eligible{8, 9};
  MemorySource source = screen.source(), again = screen.source();
  const LabelAudits alone = scan_label_audits(source, design, eligible, {.rows = false}, "small.h5ad");
  EXPECT_TRUE(alone.y.empty() && alone.y_free.empty() && alone.first_half.empty());
  const LabelAudits all = scan_label_audits(again, design, eligible, {}, "small.h5ad");
  EXPECT_EQ(alone.null_matched, all.null_matched);
  EXPECT_EQ(alone.null_ungrouped, all.null_ungrouped);
  for (const double y : alone.null_ungrouped) EXPECT_TRUE(std::isfinite(y));
}

TEST(SplitHalfCeiling, IsTheMeanOfTheReplicates) {
  LabelAudits audits;
  audits.first_half = {{1, 2, 3, std::nan("")}, {1, 2, 3, 0}};
  audits.second_half = {{2, 4, 6, 1}, {1, 1, 1, 1}};
  const SplitHalf found = split_half(audits);
  EXPECT_EQ(found.replicates, 1);  // the second has no r
  EXPECT_NEAR(found.r, 1, 1e-15);
  EXPECT_NEAR(found.ceiling, 1, 1e-15);
  EXPECT_TRUE(std::isnan(split_half(LabelAudits{}).r));
}

}  // namespace
}  // namespace scvet::trial
