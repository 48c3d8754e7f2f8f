#include "scvet/sketch/cell_sets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>

#include "scvet/base/error.h"
#include "scvet/base/files.h"

namespace scvet::sketch {
namespace {

constexpr std::uint16_t kUniverse = 300;  // exact_match.json: "tokens below 300"

nlohmann::json published_cells() {
  const std::string path = std::string(SCVET_REFERENCE_DIR) + "/audit/exact_match.json";
  if (!std::filesystem::exists(path)) return nullptr;
  return nlohmann::json::parse(read_file(path)).at("cells");
}

// The cell on the universe, in the published rank order: count descending, then token.
CellSet on_universe(const nlohmann::json& cell) {
  const auto tokens = cell.at("tokens").get<std::vector<std::uint16_t>>();
  const auto counts = cell.at("counts").get<std::vector<std::uint32_t>>();
  std::vector<std::size_t> order;
  for (std::size_t at = 0; at < tokens.size(); ++at)
    if (tokens[at] < kUniverse) order.push_back(at);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return counts[a] != counts[b] ? counts[a] > counts[b] : tokens[a] < tokens[b];
  });
  CellSet set;
  for (const std::size_t at : order) {
    set.tokens.push_back(tokens[at]);
    set.counts.push_back(counts[at]);
  }
  return set;
}

std::uint64_t hex(const nlohmann::json& text) { return std::stoull(text.get<std::string>(), nullptr, 16); }

TEST(HashCell, MatchesThePublishedFolds) {
  const auto cells = published_cells();
  if (cells.is_null()) GTEST_SKIP() << "no audit/exact_match.json under " << SCVET_REFERENCE_DIR;
  ASSERT_EQ(cells.size(), 7u);
  for (const auto& cell : cells) {
    const CellSet set = on_universe(cell);
    EXPECT_EQ(set.tokens, cell.at("order").get<std::vector<std::uint16_t>>()) << cell.at("name");
    const CellHashes hashes = hash_cell(set);
    EXPECT_EQ(hashes.set, hex(cell.at("hash_set"))) << cell.at("name");
    EXPECT_EQ(hashes.order, hex(cell.at("hash_order"))) << cell.at("name");
    EXPECT_EQ(hashes.counts, hex(cell.at("hash_counts"))) << cell.at("name");
  }
}

TEST(HashCell, SetAndCountsIgnoreTheRankOrder) {
  const CellSet one = {{5, 2, 9}, {7, 3, 1}}, other = {{9, 5, 2}, {1, 7, 3}};
  EXPECT_EQ(hash_cell(one).set, hash_cell(other).set);
  EXPECT_EQ(hash_cell(one).counts, hash_cell(other).counts);
  EXPECT_NE(hash_cell(one).order, hash_cell(other).order);
}

TEST(HashCell, CountsBelongToTheirGenes) {
  EXPECT_NE(hash_cell({{5, 2}, {7, 3}}).counts, hash_cell({{5, 2}, {3, 7}}).counts);
  EXPECT_EQ(hash_cell({{5, 2}, {}}).counts, 0u);
}

TEST(CellSets, GiveBackWhatWasAdded) {
  CellSets sets(1000);
  sets.reserve(4, 6);
  const std::vector<CellSet> cells = {{{3, 1, 2}, {9, 8, 7}}, {{}, {}}, {{999}, {}}, {{0, 4}, {1, 1}}};
  for (const CellSet& cell : cells) sets.add(cell);
  ASSERT_EQ(sets.n_cells(), 4);
  EXPECT_EQ(sets.n_tokens(), 1000u);
  CellSet read;
  for (std::int64_t row = 0; row < 4; ++row) {
    sets.read(row, read);
    EXPECT_EQ(read.tokens, cells[static_cast<std::size_t>(row)].tokens) << row;
    EXPECT_EQ(read.counts, cells[static_cast<std::size_t>(row)].counts) << row;
  }
  EXPECT_TRUE(sets.has_counts(0));
  EXPECT_FALSE(sets.has_counts(2));
  EXPECT_TRUE(sets.counts(2).empty());
  EXPECT_EQ(sets.tokens(3).size(), 2u);
}

TEST(CellSets, RefuseCountsForSomeOfTheGenesOnly) {
  CellSets sets(10);
  EXPECT_THROW(sets.add({{1, 2}, {3}}), InternalError);
}

}  // namespace
}  // namespace scvet::sketch
