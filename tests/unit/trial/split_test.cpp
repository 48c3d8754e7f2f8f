#include "scvet/trial/split.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "scvet/base/error.h"
#include "trial_vectors.h"

namespace scvet::trial {
namespace {

constexpr std::array<double, 3> kFractions{0.70, 0.15, 0.15};

TEST(Split, PartSizesRoundHalfToEven) {
  const auto sizes = [](std::int64_t n) {
    const PartSizes found = part_sizes(n, kFractions);
    return std::array<std::int64_t, 3>{found.train, found.val, found.test};
  };
  EXPECT_EQ(sizes(9653), (std::array<std::int64_t, 3>{6757, 1448, 1448}));
  EXPECT_EQ(sizes(2154), (std::array<std::int64_t, 3>{1508, 323, 323}));
  EXPECT_EQ(sizes(150), (std::array<std::int64_t, 3>{105, 22, 23}));  // 22.5 is even below
}

TEST(Split, SyntheticScreenHasThePublishedPartsAndFolds) {
  SKIP_WITHOUT_TRIAL_VECTORS();
  const testing::RowTable rows = testing::read_rows("synth/rows.tsv");
  const Split split = make_split(rows.column("target_gene"), 20260602, kFractions, 5);
  ASSERT_EQ(split.part.size(), rows.size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    EXPECT_EQ(part_name(split.part[row]), rows.column("split")[row]) << "row " << row;
    EXPECT_EQ(std::to_string(split.fold[row]), rows.column("fold")[row]) << "row " << row;
  }
  EXPECT_EQ(count_targets(rows.column("target_gene"), split, Part::kVal), 22);
  EXPECT_EQ(leaked_targets(rows.column("target_gene"), split), 0);
}

TEST(Split, ScenarioPartsFollowFromTheSeed) {
  SKIP_WITHOUT_TRIAL_VECTORS();
  const testing::RowTable rows = testing::read_rows("scenarios/partial/rows.tsv");
  const Split split = make_split(rows.column("target_gene"), 20260602, kFractions, 5);
  for (std::size_t row = 0; row < rows.size(); ++row)
    EXPECT_EQ(part_name(split.part[row]), rows.column("split")[row]) << "row " << row;
}

TEST(Split, WorkedTrialDerivesItsSeedAndItsParts) {
  SKIP_WITHOUT_TRIAL_VECTORS();
  const std::uint32_t seed = derived_split_seed("4b4cadfccd017c13bab2932c2cd3de33757fa04fa679ab8c75c83afa9816f7da",
                                                "2cf65b4db986f579409ba8ec683915bdd6f372cde568483a49bc8429cf9cdccc");
  EXPECT_EQ(seed, 4162477717u);
  const testing::RowTable rows = testing::read_rows("lock/locked/split.tsv");
  const Split split = make_split(rows.column("target_gene"), seed, kFractions, 5);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    EXPECT_EQ(part_name(split.part[row]), rows.column("split")[row]) << "row " << row;
    EXPECT_EQ(std::to_string(split.fold[row]), rows.column("fold")[row]) << "row " << row;
  }
}

TEST(Split, RowsOfATargetStayTogetherWhateverTheOrderOfRows) {
  std::vector<std::string> target;
  for (int row = 0; row < 200; ++row) target.push_back("T" + std::to_string((row * 37) % 40));
  const Split split = make_split(target, 11, kFractions, 5);
  std::map<std::string, std::set<std::pair<Part, std::int32_t>>> seen;
  for (std::size_t row = 0; row < target.size(); ++row) seen[target[row]].insert({split.part[row], split.fold[row]});
  for (const auto& [name, places] : seen) EXPECT_EQ(places.size(), 1u) << name;

  std::vector<std::string> reversed(target.rbegin(), target.rend());
  const Split other = make_split(reversed, 11, kFractions, 5);
  for (std::size_t row = 0; row < target.size(); ++row) EXPECT_EQ(other.part[199 - row], split.part[row]);
}

TEST(Split, FoldsGoToTheLightestAndOfEqualGroupsTheLastComesFirst) {
  // Sizes: a 3, b 1, c 1, d 2. Order: a, d, c, b. Folds: a -> 0, d -> 1, c -> 1 (2 < 3), b -> 0 (3 = 3).
  const std::vector<std::string> group{"a", "a", "a", "b", "c", "d", "d"};
  EXPECT_EQ(group_folds(group, 2), (std::vector<std::int32_t>{0, 0, 0, 0, 1, 1, 1}));
}

TEST(Split, LeakIsCounted) {
  const std::vector<std::string> target{"a", "b", "a", "c"};
  EXPECT_EQ(leaked_targets(target, {{Part::kTrain, Part::kVal, Part::kTest, Part::kTest}, {0, -1, -1, -1}}), 1);
}

TEST(Split, GivenPartsAreKeptAndAMissingTargetIsRefusedByName) {
  std::vector<std::string> target;
  std::map<std::string, Part> part;
  for (int row = 0; row < 12; ++row) {
    target.push_back("g" + std::to_string(row));
    part[target.back()] = row < 8 ? Part::kTrain : row < 10 ? Part::kVal : Part::kTest;
  }
  const Split split = make_split(target, part, 5);
  for (std::size_t row = 0; row < target.size(); ++row) EXPECT_EQ(split.part[row], part[target[row]]);
  part.erase("g9");
  try {
    make_split(target, part, 5);
    FAIL() << "a target without a part was accepted";
  } catch (const DataError& error) {
    EXPECT_EQ(error.facts().reason, "infeasible");
    EXPECT_NE(std::string(error.what()).find("'g9'"), std::string::npos);
  }
}

TEST(Split, TooFewTargetsForTheFoldsAreRefused) {
  const std::vector<std::string> target{"a", "b", "c", "d", "e"};
  EXPECT_THROW(make_split(target, 1, kFractions, 5), DataError);
}

}  // namespace
}  // namespace scvet::trial
