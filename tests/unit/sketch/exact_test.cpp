#include "exact_search.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>

#include "contracts/engine_contract.h"
#include "scvet/base/cpu.h"
#include "scvet/base/error.h"
#include "scvet/base/files.h"

namespace scvet::sketch {
namespace {

using testing::expect_same;
using testing::naive_search;
using testing::random_sets;
using testing::Workers;

class Exact : public ::testing::TestWithParam<SimdTarget> {
 protected:
  SearchResult search(const CellSets& queries, const CellSets& reference, const SearchOptions& options,
                      std::int64_t tile_rows = 8192) const {
    return search_exact(queries, reference, options, {.target = GetParam(), .tile_rows = tile_rows});
  }
};
INSTANTIATE_TEST_SUITE_P(Targets, Exact, ::testing::ValuesIn(available_simd_targets()),
                         [](const auto& target) { return simd_name(target.param); });

CellSet tokens(std::vector<std::uint16_t> list) { return {std::move(list), {}}; }

TEST_P(Exact, EqualsThePlainLoopOnSetsOfEverySize) {
  const CellSets queries = random_sets(1, 120, 2500, 1500), reference = random_sets(2, 300, 2500, 1500);
  expect_same(search(queries, reference, {}), naive_search(queries, reference, {}));
}

TEST_P(Exact, EqualsThePlainLoopOnASmallPanelFullOfTies) {
  const CellSets queries = random_sets(3, 150, 12, 12), reference = random_sets(4, 900, 12, 12);
  for (const int top : {1, 3, 40})
    expect_same(search(queries, reference, {.top = top}, 100), naive_search(queries, reference, {.top = top}));
}

TEST_P(Exact, SelfSearchLeavesOutTheOwnRowAlone) {
  const SearchOptions self{.queries_are_reference = true};
  for (const std::uint32_t n_tokens : {10u, 240u, 3000u}) {
    const CellSets cells = random_sets(5 + n_tokens, 280, n_tokens, 400);
    expect_same(search(cells, cells, self, 64), naive_search(cells, cells, self));
  }
}

TEST_P(Exact, SharedSetOfTheSelfSearchIsMadeOfTheOthers) {
  CellSets cells(8);
  for (const auto& list : {std::vector<std::uint16_t>{1, 2, 3}, {7}, {3, 2, 1}, {2, 1, 3}, {1, 2}})
    cells.add(tokens(list));
  const SearchResult found = search(cells, cells, {.queries_are_reference = true});
  const std::vector<Neighbour> first{{2, 3, 3, 2}, {4, 2, 3, 1}}, third{{0, 3, 3, 2}, {4, 2, 3, 1}};
  EXPECT_EQ(found.nearest[0], first);
  EXPECT_EQ(found.nearest[2], third);
  EXPECT_EQ(found.containment[0].row, 2);
  EXPECT_EQ(found.containment[3].row, 0);
  EXPECT_TRUE(found.nearest[1].empty());
  EXPECT_EQ(found.containment[1].row, -1);
  EXPECT_EQ(found.n_distinct, 3);
}

TEST_P(Exact, TileBordersAndWorkersChangeNothing) {
  const CellSets queries = random_sets(6, 270, 400, 60), reference = random_sets(7, 300, 400, 60);
  const SearchResult wanted = naive_search(queries, reference, {});
  for (const std::int64_t tile_rows : {1, 63, 64, 65, 299, 300, 301})
    for (const int count : {1, 2, 8}) {
      const Workers workers(count);
      SCOPED_TRACE("tiles of " + std::to_string(tile_rows) + ", workers " + std::to_string(count));
      expect_same(search(queries, reference, {}, tile_rows), wanted);
    }
}

TEST_P(Exact, NumberOfQueriesNeedNotFillABlock) {
  const CellSets reference = random_sets(8, 100, 300, 100);
  for (const std::int64_t n_queries : {1, 63, 64, 65, 255, 256, 257, 511, 512, 513, 1025}) {
    const CellSets queries = random_sets(9, n_queries, 300, 100);
    SCOPED_TRACE(n_queries);
    expect_same(search(queries, reference, {}), naive_search(queries, reference, {}));
  }
}

// The counters hold 17 bits: a set of all 65,536 genes, and those that lack a few of them.
TEST_P(Exact, WholeUniverseIsCounted) {
  std::vector<std::uint16_t> all(kMaxTokens);
  std::iota(all.begin(), all.end(), std::uint16_t{0});
  CellSets cells(kMaxTokens);
  cells.add(tokens(all));
  for (const std::size_t kept : {65535, 65520, 32769, 32768, 16383, 100, 1})
    cells.add(tokens({all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kept)}));
  cells.add(tokens({all.begin() + 100, all.end()}));
  cells.add(tokens({}));
  expect_same(search(cells, cells, {}), naive_search(cells, cells, {}));
  CellSets one(kMaxTokens);  // nearly every gene of the reference is in no query
  one.add(tokens({0, 1, 2, 65535}));
  expect_same(search(one, cells, {}), naive_search(one, cells, {}));
}

TEST_P(Exact, LowestRowStandsForASetWhicheverTileItLiesIn) {
  CellSets queries(64), reference(64);
  queries.add(tokens({1, 2, 3, 4}));
  for (int copy = 0; copy < 500; ++copy) {
    reference.add(tokens({40}));
    reference.add(copy % 2 != 0 ? tokens({4, 3, 2}) : tokens({2, 3, 4}));
    reference.add(tokens({1, 2, 3, 60}));
  }
  const std::vector<Neighbour> wanted{{1, 3, 4, 500}, {2, 3, 5, 500}};
  for (const int count : {1, 8}) {
    const Workers workers(count);
    const SearchResult found = search(queries, reference, {}, 10);
    EXPECT_EQ(found.nearest[0], wanted);
    EXPECT_EQ(found.containment[0].row, 1);
    EXPECT_EQ(found.n_distinct, 3);
  }
}

TEST_P(Exact, SeveralPassesOverTheReferenceAgreeWithOne) {
  const CellSets queries = random_sets(13, 1100, 500, 100), reference = random_sets(14, 100, 500, 100);
  const SearchResult found =
      search_exact(queries, reference, {}, {.target = GetParam(), .table_budget = std::size_t{1} << 16});
  expect_same(found, search(queries, reference, {}));
}

TEST_P(Exact, ContainmentAloneAndNearestAlone) {
  const CellSets queries = random_sets(15, 100, 300, 150), reference = random_sets(16, 300, 300, 150);
  for (const SearchOptions& options : {SearchOptions{.top = 0}, SearchOptions{.containment = false}})
    expect_same(search(queries, reference, options), naive_search(queries, reference, options));
}

TEST_P(Exact, DifferentSetsOfOneHashAreNotMerged) {
  const CellSets queries = random_sets(17, 60, 300, 150), reference = random_sets(18, 300, 300, 150);
  const SearchResult found = search_exact(queries, reference, {}, {.target = GetParam(), .first_hash_mask = 0xF0});
  expect_same(found, naive_search(queries, reference, {}));
}

// Published vectors: 101 queries against 652 reference rows, and among themselves.
class GapAudit : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string path = std::string(SCVET_REFERENCE_DIR) + "/audit/gap_audit.json";
    if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not here";
    file_ = nlohmann::json::parse(read_file(path));
    queries_ = read("queries");
    reference_ = read("reference");
  }
  CellSets read(const char* key) const {
    CellSets cells(file_.at("vocab").get<std::uint32_t>());
    for (const auto& cell : file_.at(key)) cells.add(tokens(cell.get<std::vector<std::uint16_t>>()));
    return cells;
  }
  // The published pool's entries of one kind, as intersection, union, row.
  static std::vector<std::array<std::int64_t, 3>> pool(const nlohmann::json& expected, const std::string& kind) {
    std::vector<std::array<std::int64_t, 3>> entries;
    if (!expected.contains("pool_top40")) return entries;  // too few genes to be tested
    for (const auto& entry : expected.at("pool_top40"))
      if (entry.at(2) == kind) entries.push_back({entry.at(0), entry.at(1), entry.at(3)});
    return entries;
  }
  static std::vector<std::array<std::int64_t, 3>> first_of(const std::vector<Neighbour>& nearest, std::size_t count) {
    std::vector<std::array<std::int64_t, 3>> entries;
    for (const Neighbour& entry : nearest) entries.push_back({entry.intersection, entry.union_size, entry.row});
    entries.resize(std::min(entries.size(), count));
    return entries;
  }
  nlohmann::json file_;
  CellSets queries_{0}, reference_{0};
};

TEST_F(GapAudit, NearestEntriesAndContainmentAreThePublishedOnes) {
  for (const SimdTarget target : available_simd_targets()) {
    SCOPED_TRACE(simd_name(target));
    const SearchResult found = search_exact(queries_, reference_, {.top = file_.at("L")}, {.target = target});
    std::size_t compared = 0;
    for (std::size_t query = 0; query < found.nearest.size(); ++query) {
      SCOPED_TRACE(query);
      const nlohmann::json& expected = file_.at("expect").at(query);
      const std::vector<Neighbour>& nearest = found.nearest[query];
      if (!expected.contains("jstar")) {
        EXPECT_TRUE(nearest.empty());
        continue;
      }
      ++compared;
      ASSERT_GE(nearest.size(), 2u);
      const std::vector<std::uint32_t> best = expected.at("jstar"), second = expected.at("j2");
      EXPECT_EQ((std::vector{nearest[0].intersection, nearest[0].union_size}), best);
      EXPECT_EQ((std::vector{nearest[1].intersection, nearest[1].union_size}), second);
      EXPECT_EQ(nearest[0].row, expected.at("row"));
      EXPECT_EQ(nearest[0].multiplicity, expected.at("multiplicity"));
      EXPECT_EQ(found.containment[query].intersection, expected.at("containment").at(0));
      EXPECT_EQ(found.containment[query].row, expected.at("containment_row"));
      const auto published = pool(expected, "ref");
      EXPECT_EQ(first_of(nearest, published.size()), published);
    }
    EXPECT_GE(compared, 90u);
  }
}

TEST_F(GapAudit, NearestOtherBenchmarkCellsAreThePublishedOnes) {
  const SearchResult found =
      search_exact(queries_, queries_, {.top = file_.at("L"), .queries_are_reference = true}, {});
  std::size_t entries = 0;
  for (std::size_t query = 0; query < found.nearest.size(); ++query) {
    const auto published = pool(file_.at("expect").at(query), "bench");
    EXPECT_EQ(first_of(found.nearest[query], published.size()), published) << "query " << query;
    entries += published.size();
  }
  EXPECT_GT(entries, 200u);
}

}  // namespace
}  // namespace scvet::sketch
