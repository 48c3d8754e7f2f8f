#include "scvet/data/rank_encoding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "scvet/base/parallel.h"
#include "scvet/base/random.h"

namespace scvet {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

void add_cell(CellBatch& batch, const std::vector<std::uint32_t>& tokens, const std::vector<double>& values,
              double total) {
  batch.tokens.insert(batch.tokens.end(), tokens.begin(), tokens.end());
  batch.values.insert(batch.values.end(), values.begin(), values.end());
  batch.indptr.push_back(static_cast<std::int64_t>(batch.tokens.size()));
  batch.totals.push_back(total);
}

std::vector<std::uint32_t> tokens_of(const RankedCells& ranked, std::int64_t cell) {
  const auto tokens = ranked.cell_tokens(cell);
  return {tokens.begin(), tokens.end()};
}

TEST(RankEncoding, WithoutAVocabularyCountsRankAndTiesGoToTheLowerToken) {
  CellBatch batch;
  add_cell(batch, {0, 3, 5, 7, 9}, {2, 700, 2, 300, 700}, 1704);
  RankedCells ranked;
  RankLosses losses;
  rank_cells(batch, {}, ranked, losses);
  EXPECT_THAT(tokens_of(ranked, 0), ElementsAre(3, 9, 7, 0, 5));
  EXPECT_THAT(ranked.cell_values(0), ElementsAre(700, 700, 300, 2, 2));
  EXPECT_EQ(losses.n_entries, 5);
  EXPECT_EQ(losses.n_outside, 0);
}

TEST(RankEncoding, FractionalValuesAreRankedToo) {
  CellBatch batch;
  add_cell(batch, {1, 2, 4}, {.5, 3, .75}, 4.25);
  RankedCells ranked;
  RankLosses losses;
  rank_cells(batch, {}, ranked, losses);
  EXPECT_THAT(tokens_of(ranked, 0), ElementsAre(2, 4, 1));
}

TEST(RankEncoding, MediansReorderAndGenesOutsideAreLeftOutBeforeTheCut) {
  RankPolicy policy;
  policy.medians = {1, kNone, 10, 2};
  policy.tie_order = {0, 0, 2, 3};
  policy.top_k = 2;
  CellBatch batch;
  add_cell(batch, {0, 1, 2, 3}, {3, 99, 20, 8}, 130);  // 3, -, 2, 4
  add_cell(batch, {1}, {5}, 5);
  RankedCells ranked;
  RankLosses losses;
  rank_cells(batch, policy, ranked, losses);
  EXPECT_THAT(tokens_of(ranked, 0), ElementsAre(3, 0));
  EXPECT_TRUE(tokens_of(ranked, 1).empty());
  EXPECT_EQ(losses.n_entries, 5);
  EXPECT_EQ(losses.n_outside, 2);
  EXPECT_EQ(losses.n_cut_cells, 1);
}

TEST(RankEncoding, TiesGoByTheVocabularysTokenNotByTheNamesOrder) {
  RankPolicy policy;
  policy.medians = {1, 1, 1};
  policy.tie_order = {30, 10, 20};
  CellBatch batch;
  add_cell(batch, {0, 1, 2}, {4, 4, 4}, 12);
  RankedCells ranked;
  RankLosses losses;
  rank_cells(batch, policy, ranked, losses);
  EXPECT_THAT(tokens_of(ranked, 0), ElementsAre(1, 2, 0));
}

// The definition, against the program's own way of sorting small counts.
TEST(RankEncoding, EqualsAPlainSortForRandomCellsAndAnyThreadCount) {
  Stream random(3);
  CellBatch batch;
  for (int cell = 0; cell < 700; ++cell) {
    std::vector<std::uint32_t> tokens;
    std::vector<double> values;
    for (std::uint32_t token = 0; token < 300; ++token) {
      if (random.below(3)) continue;
      tokens.push_back(token);
      values.push_back(static_cast<double>(1 + random.below(random.below(10) ? 6 : 2000)));
    }
    add_cell(batch, tokens, values, 1);
  }
  RankedCells one, many;
  RankLosses losses;
  set_workers(1);
  rank_cells(batch, {}, one, losses);
  set_workers(4);
  rank_cells(batch, {}, many, losses);
  set_workers(0);
  EXPECT_EQ(one.tokens, many.tokens);
  EXPECT_EQ(one.offsets, many.offsets);
  for (std::int64_t cell = 0; cell < 700; ++cell) {
    std::vector<std::pair<double, std::uint32_t>> order;
    for (auto at = static_cast<std::size_t>(batch.indptr[static_cast<std::size_t>(cell)]);
         at < static_cast<std::size_t>(batch.indptr[static_cast<std::size_t>(cell) + 1]); ++at)
      order.emplace_back(-batch.values[at], batch.tokens[at]);
    std::sort(order.begin(), order.end());
    std::vector<std::uint32_t> expected;
    for (const auto& [value, token] : order) expected.push_back(token);
    EXPECT_THAT(tokens_of(one, cell), ElementsAreArray(expected)) << cell;
  }
}

TEST(RankPolicy, MediansComeByEnsemblIdOrBySymbol) {
  const Vocabulary vocabulary({{"ENSG00000000001", 5, 2.5}, {"TP53", 3, .5}}, "v");
  const GenePanel panel({{"ENSG00000000001", "A"}, {"ENSG00000000002", "TP53"}, {"", "ZZZ"}}, "human");
  const RankPolicy policy = rank_policy(panel, &vocabulary, 7);
  EXPECT_EQ(policy.medians[0], 2.5);
  EXPECT_EQ(policy.medians[1], .5);
  EXPECT_TRUE(std::isnan(policy.medians[2]));
  EXPECT_EQ(policy.tie_order[0], 5);
  EXPECT_EQ(policy.top_k, 7);
  EXPECT_TRUE(rank_policy(panel, nullptr, 7).medians.empty());
  EXPECT_EQ(rank_policy(panel, nullptr, 7).top_k, 0);
}

TEST(RankCells, RanksKeepTheirOrderAndLoseOnlyWhatTheVocabularyLacksOrKCuts) {
  const GenePanel panel({{"", "A"}, {"", "B"}, {"", "C"}, {"", "D"}}, "");
  const Vocabulary vocabulary({{"A", 5, .001}, {"B", 6, 1000}, {"D", 7, 1}}, "v");
  CellBatch batch;
  batch.indptr = {0, 4};
  batch.tokens = {0, 1, 2, 3};
  batch.values = {1, 4, 3, 2};  // B C D A
  batch.totals = {10};
  RankedCells ranked;
  RankLosses losses;
  rank_cells(batch, rank_policy(panel, &vocabulary, 10, true), ranked, losses);
  EXPECT_THAT(ranked.tokens, testing::ElementsAre(1, 3, 0));
  EXPECT_EQ(losses.n_outside, 1);
  rank_cells(batch, rank_policy(panel, &vocabulary, 2, true), ranked, losses);
  EXPECT_THAT(ranked.tokens, testing::ElementsAre(1, 3));
  EXPECT_EQ(losses.n_cut_cells, 1);
  rank_cells(batch, rank_policy(panel, nullptr, 0, true), ranked, losses);
  EXPECT_THAT(ranked.tokens, testing::ElementsAre(1, 2, 3, 0));
  rank_cells(batch, rank_policy(panel, &vocabulary, 10), ranked, losses);
  EXPECT_THAT(ranked.tokens, testing::ElementsAre(0, 3, 1));  // as counts: by their medians
}

}  // namespace
}  // namespace scvet
