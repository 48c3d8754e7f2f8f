#include "scvet/sketch/fingerprint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scvet/base/random.h"

namespace scvet::sketch {
namespace {

using testing::ElementsAre;

GenePanel panel_of(const std::vector<std::string>& symbols) {
  std::vector<PanelGene> genes;
  for (const std::string& symbol : symbols) genes.push_back({"", symbol});
  return GenePanel(std::move(genes), "human");
}

TEST(Fingerprint, GeneKeyDependsOnTheNameAlone) {
  const auto few = gene_keys(panel_of({"B", "D"})), many = gene_keys(panel_of({"A", "B", "C", "D"}));
  EXPECT_EQ(few[0], many[1]);
  EXPECT_EQ(few[1], many[3]);
  EXPECT_NE(few[0], few[1]);
  // Fixed for good: stores made by different versions must agree.
  EXPECT_EQ(gene_key("ENSG00000141510"), gene_key(std::string("ENSG00000141510")));
  EXPECT_EQ(gene_key(""), 0x2d06800538d394c2ull);  // XXH3 of nothing, as its makers publish it
}

TEST(Fingerprint, HashesOfOneCellOnTwoPanelsAgree) {
  const auto few = gene_keys(panel_of({"B", "D"})), many = gene_keys(panel_of({"A", "B", "C", "D"}));
  const std::vector<std::uint32_t> here{1, 0}, there{3, 1};
  const std::vector<double> counts{5, 2};
  const CellHashes a = hash_ranked(few, here, counts, true), b = hash_ranked(many, there, counts, true);
  EXPECT_EQ(a.set, b.set);
  EXPECT_EQ(a.order, b.order);
  EXPECT_EQ(a.counts, b.counts);
}

TEST(Fingerprint, SetHashIgnoresOrderAndCountsWhereTheOthersDoNot) {
  const auto keys = gene_keys(panel_of({"A", "B", "C"}));
  const std::vector<std::uint32_t> up{0, 1}, down{1, 0};
  const CellHashes a = hash_ranked(keys, up, std::vector<double>{3, 3}, true);
  const CellHashes b = hash_ranked(keys, down, std::vector<double>{3, 3}, true);
  const CellHashes c = hash_ranked(keys, up, std::vector<double>{4, 3}, true);
  EXPECT_EQ(a.set, b.set);
  EXPECT_NE(a.order, b.order);
  EXPECT_EQ(a.counts, b.counts);
  EXPECT_EQ(a.set, c.set);
  EXPECT_NE(a.counts, c.counts);
  EXPECT_EQ(hash_ranked(keys, up, {}, false).counts, 0u);
}

// The fold of the spec over keys, written out.
TEST(Fingerprint, SetHashIsTheFoldOfKeysInNameOrder) {
  const auto keys = gene_keys(panel_of({"A", "B"}));
  std::uint64_t expected = mix(kTagSet ^ 2);
  expected = mix(expected ^ keys[0]);
  expected = mix(expected ^ keys[1]);
  EXPECT_EQ(hash_ranked(keys, std::vector<std::uint32_t>{1, 0}, {}, false).set, expected);
}

TEST(Fingerprint, RestrictionKeepsTheOrderAndLeavesOutTheRest) {
  const TokenMap map{{-1, 1, 0, -1, 2}, false};
  CellSet cell;
  restrict_cell(std::vector<std::uint32_t>{4, 0, 2, 1}, std::vector<std::uint32_t>{9, 8, 7, 6}, map, cell);
  EXPECT_THAT(cell.tokens, ElementsAre(2, 0, 1));
  EXPECT_THAT(cell.counts, ElementsAre(9, 7, 6));
  restrict_cell(std::vector<std::uint32_t>{4, 0, 2, 1}, std::vector<std::uint32_t>{}, map, cell);
  EXPECT_THAT(cell.tokens, ElementsAre(2, 0, 1));
  EXPECT_TRUE(cell.counts.empty());
}

TEST(Fingerprint, GenesThatMeetInOneAreSummedAndRankedAgain) {
  const TokenMap map{{0, 1, 1, 2}, true};
  CellSet cell;
  restrict_cell(std::vector<std::uint32_t>{0, 1, 2, 3}, std::vector<std::uint32_t>{5, 4, 3, 2}, map, cell);
  EXPECT_THAT(cell.tokens, ElementsAre(1, 0, 2));
  EXPECT_THAT(cell.counts, ElementsAre(7, 5, 2));
  restrict_cell(std::vector<std::uint32_t>{3, 1, 0, 2}, std::vector<std::uint32_t>{}, map, cell);
  EXPECT_THAT(cell.tokens, ElementsAre(2, 1, 0));
}

}  // namespace
}  // namespace scvet::sketch
