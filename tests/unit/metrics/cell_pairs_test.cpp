#include "cell_pairs.h"

#include <gtest/gtest.h>

#include <map>

namespace scvet::metrics {
namespace {

Groups three_groups() {
  std::vector<std::string> texts(100, "a");
  for (std::size_t cell = 60; cell < 98; ++cell) texts[cell] = "b";
  texts[98] = "c";
  texts[99] = "";
  return make_groups(texts);
}

std::int32_t group(const Groups& groups, std::uint32_t cell) { return groups.of_cell[cell]; }

TEST(CellPairs, NeverHoldOneCellTwice) {
  numeric::NumpyRandom random(1);
  for (const CellPair& pair : mixed_pairs(2, 500, random)) EXPECT_NE(pair.first, pair.second);
  const Groups two = make_groups(std::vector<std::string>{"a", "a", "b", "b"});
  for (const CellPair& pair : within_pairs(two, 500, random)) {
    EXPECT_NE(pair.first, pair.second);
    EXPECT_EQ(group(two, pair.first), group(two, pair.second));
  }
}

TEST(CellPairs, WithinGivesEveryGroupOfTwoCellsTheSameChance) {
  const Groups groups = three_groups();
  numeric::NumpyRandom random(2);
  std::map<std::int32_t, int> seen;
  for (const CellPair& pair : within_pairs(groups, 10000, random)) {
    EXPECT_EQ(group(groups, pair.first), group(groups, pair.second));
    ++seen[group(groups, pair.first)];
  }
  EXPECT_EQ(seen.size(), 2u);  // not "c", which has one cell
  EXPECT_NEAR(seen[0], 5000, 250);
}

TEST(CellPairs, BetweenGivesEveryGroupTheSameChanceAndSkipsCellsWithoutOne) {
  const Groups groups = three_groups();
  numeric::NumpyRandom random(3);
  std::map<std::int32_t, int> seen;
  for (const CellPair& pair : between_pairs(groups, 9000, random)) {
    EXPECT_NE(group(groups, pair.first), group(groups, pair.second));
    EXPECT_GE(group(groups, pair.second), 0);
    ++seen[group(groups, pair.first)];
  }
  for (std::int32_t at = 0; at < 3; ++at) EXPECT_NEAR(seen[at], 3000, 250);
}

TEST(CellPairs, WithoutGroupsNothingIsDrawn) {
  numeric::NumpyRandom random(4), untouched(4);
  const Groups one = make_groups(std::vector<std::string>{"a", "", ""});
  EXPECT_TRUE(within_pairs(one, 10, random).empty());
  EXPECT_TRUE(between_pairs(one, 10, random).empty());
  EXPECT_EQ(random.next64(), untouched.next64());
}

}  // namespace
}  // namespace scvet::metrics
