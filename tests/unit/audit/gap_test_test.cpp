#include "gap_test.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "scvet/base/random.h"

namespace scvet::audit {
namespace {

constexpr std::uint32_t kUnion = 1u << 30;  // fine enough that the fractions are as good as real numbers

std::vector<PoolEntry> pool_of(const std::vector<double>& jaccards) {
  std::vector<PoolEntry> pool;
  for (std::size_t at = 0; at < jaccards.size(); ++at)
    pool.push_back(
        {{static_cast<std::int64_t>(at), static_cast<std::uint32_t>(std::lround(jaccards[at] * kUnion)), kUnion, 1},
         true});
  return pool;
}

std::vector<double> exponential_tail(std::uint64_t key, std::size_t n) {
  Stream stream(mix(key));
  std::vector<double> values;
  for (std::size_t at = 0; at < n; ++at) values.push_back(std::min(.99, .2 - .03 * std::log(1 - stream.unit())));
  std::sort(values.rbegin(), values.rend());
  return values;
}

TEST(GapTest, EveryPdIsUniformUnderAnExponentialTail) {
  constexpr int kDraws = 2000;
  int below[kMaxCopies][2] = {};
  int same_below = 0;
  for (int draw = 0; draw < kDraws; ++draw) {
    const auto pool = pool_of(exponential_tail(static_cast<std::uint64_t>(draw), 300));
    const GapResult gap = gap_test(pool, 300, 30, kMaxCopies);
    for (std::size_t d = 0; d < kMaxCopies; ++d) {
      below[d][0] += gap.p_d[d] <= .05;
      below[d][1] += gap.p_d[d] <= .5;
    }
    same_below += gap.p <= .05;
  }
  for (const auto& count : below) {
    EXPECT_NEAR(count[0], .05 * kDraws, 4 * std::sqrt(.05 * .95 * kDraws));
    EXPECT_NEAR(count[1], .5 * kDraws, 4 * std::sqrt(.25 * kDraws));
  }
  EXPECT_LE(same_below, .05 * kDraws + 3 * std::sqrt(.05 * .95 * kDraws));  // conservative: dependent tests, times 8
  EXPECT_GT(same_below, .02 * kDraws);
}

TEST(GapTest, FollowsTheFormula) {
  std::vector<double> jaccards{.9, .85, .8};
  for (int at = 0; at < 40; ++at) jaccards.push_back(.4 - .005 * at);
  const GapResult gap = gap_test(pool_of(jaccards), 43, 30, kMaxCopies);
  double mean = 0;
  for (int place = 4; place <= 30; ++place) mean += place * .005 / 27;
  EXPECT_NEAR(gap.p_d[2], std::pow(1 + 3 * .4 / (27 * mean), -27), 1e-6 * gap.p_d[2]);
  EXPECT_EQ(gap.d, 3);
  EXPECT_DOUBLE_EQ(gap.p, std::min(1.0, 8 * gap.p_d[2]));
  EXPECT_NEAR(gap.level, .8, 1e-9);
  EXPECT_NEAR(gap.background, .4, 1e-9);
}

TEST(GapTest, FewerEntriesThanNeighboursAndOneMoreAreNotTested) {
  const auto pool = pool_of(exponential_tail(1, 31));
  EXPECT_TRUE(std::isnan(gap_test(pool, 30, 30, 8).p));
  EXPECT_EQ(gap_test(pool, 30, 30, 8).d, 0);
  EXPECT_FALSE(std::isnan(gap_test(pool, 31, 30, 8).p));
  EXPECT_FALSE(std::isnan(gap_test(pool, 21, 20, 3).p));
}

TEST(GapTest, EntriesThatShareNoGeneCountAsJaccardZero) {
  const GapResult gap = gap_test(pool_of({.9, .1}), 50, 30, 8);
  EXPECT_EQ(gap.p_d[1], 0);  // nothing varies below the second
  EXPECT_EQ(gap.d, 2);
  EXPECT_EQ(gap.background, 0);
}

TEST(GapTest, EqualNeighboursGiveNoEvidence) {
  const GapResult gap = gap_test(pool_of(std::vector<double>(40, .5)), 40, 30, 8);
  for (const double p : gap.p_d) EXPECT_EQ(p, 1);
  EXPECT_EQ(gap.p, 1);
  EXPECT_EQ(gap.d, 1);
}

TEST(GapTest, FewerCopiesUseAFewerFoldCorrectionAndLeaveTheRestUntested) {
  const auto pool = pool_of(exponential_tail(3, 40));
  const GapResult gap = gap_test(pool, 40, 20, 3);
  EXPECT_DOUBLE_EQ(gap.p, std::min(1.0, 3 * std::min({gap.p_d[0], gap.p_d[1], gap.p_d[2]})));
  for (std::size_t d = 3; d < kMaxCopies; ++d) EXPECT_TRUE(std::isnan(gap.p_d[d]));
}

TEST(MergePool, TiesPutTheReferenceFirstThenTheRow) {
  const std::vector<sketch::Neighbour> references{{7, 1, 2, 1}, {9, 1, 3, 1}};
  const std::vector<sketch::Neighbour> others{{0, 3, 4, 1}, {2, 2, 4, 1}, {5, 100, 300, 1}};
  const auto pool = merge_pool(references, others, 40);
  ASSERT_EQ(pool.size(), 5u);
  const std::int64_t rows[] = {0, 7, 2, 9, 5};
  for (std::size_t at = 0; at < 5; ++at) EXPECT_EQ(pool[at].match.row, rows[at]);
  EXPECT_TRUE(pool[1].reference && !pool[2].reference && pool[3].reference);
  EXPECT_EQ(merge_pool(references, others, 2).size(), 2u);
  EXPECT_TRUE(merge_pool({}, {}, 40).empty());
}

TEST(PoolEntries, TheCellItselfIsNoEntryUnlessAnotherHasItsSet) {
  EXPECT_EQ(pool_entries(10, 5, std::vector<sketch::Neighbour>{{1, 3, 4, 1}}), 14);
  EXPECT_EQ(pool_entries(10, 5, std::vector<sketch::Neighbour>{{1, 4, 4, 1}}), 15);
  EXPECT_EQ(pool_entries(10, 1, {}), 10);
}

TEST(FitLift, NeedsThirtyCellsAndSomeSpread) {
  std::vector<std::uint32_t> size(30, 500);
  std::vector<double> background(30, .3);
  EXPECT_EQ(fit_lift(size, background).scale, 0);  // all equal
  EXPECT_TRUE(std::isnan(lift_of(fit_lift(size, background), 500, .9)));
  for (std::size_t at = 0; at < 30; ++at) background[at] = .3 + .001 * static_cast<double>(at % 7);
  EXPECT_GT(lift_of(fit_lift(size, background), 500, .9), 100);
  background[3] = kNaN;
  const LiftFit fit = fit_lift(size, background);
  EXPECT_EQ(fit.n_cells, 29);
  EXPECT_TRUE(std::isnan(fit.scale) && std::isnan(lift_of(fit, 500, .9)));
}

TEST(FitLift, MeasuresFromTheLevelOfCellsOfThatSize) {
  std::vector<std::uint32_t> size;
  std::vector<double> background;
  Stream stream(5);
  for (std::uint32_t at = 0; at < 400; ++at) {
    size.push_back(200 + 5 * at);
    background.push_back(.1 + .05 * std::log(size.back()) + .01 * (stream.unit() - .5));
  }
  const LiftFit fit = fit_lift(size, background);
  EXPECT_NEAR(lift_of(fit, 300, .1 + .05 * std::log(300)), 0, .2);
  EXPECT_NEAR(lift_of(fit, 2000, .1 + .05 * std::log(2000) + 10 * fit.scale), 10, .2);
}

}  // namespace
}  // namespace scvet::audit
