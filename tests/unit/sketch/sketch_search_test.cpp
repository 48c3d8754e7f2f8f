#include "sketch_search.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "contracts/engine_contract.h"
#include "scvet/base/files.h"
#include "scvet/base/random.h"
#include "scvet/base/registry.h"

namespace scvet::sketch {
namespace {

using testing::random_sets;
using testing::Workers;
using Lists = std::vector<std::vector<Neighbour>>;

void expect_lists(const SearchResult& found, const Lists& wanted) {
  ASSERT_EQ(found.nearest.size(), wanted.size());
  for (std::size_t query = 0; query < wanted.size(); ++query)
    ASSERT_EQ(found.nearest[query], wanted[query]) << "query " << query;
}

// All three engines on every SIMD target against their plain loops.
void expect_plain_loops(const CellSets& queries, const CellSets& reference, const SearchOptions& options,
                        std::uint64_t seed = 42) {
  const testing::NaiveSketchSearch naive(queries, reference, options, seed);
  const Lists minhash = naive.minhash(), lsh = naive.lsh(), sketch8 = naive.sketch8();
  for (const SimdTarget target : available_simd_targets()) {
    SCOPED_TRACE(simd_name(target));
    const SketchSettings settings{.target = target};
    expect_lists(prepare_minhash(reference, seed, settings)->search(queries, options), minhash);
    expect_lists(prepare_lsh(reference, seed, settings)->search(queries, options), lsh);
    expect_lists(prepare_sketch8(reference, seed, settings)->search(queries, options), sketch8);
  }
}

TEST(SketchEngines, EqualThePlainLoopsOnSetsOfEverySize) {
  const CellSets queries = random_sets(21, 90, 1500, 800), reference = random_sets(22, 400, 1500, 800);
  expect_plain_loops(queries, reference, {}, 1);
}

TEST(SketchEngines, EqualThePlainLoopsOnASmallPanelFullOfTies) {
  const CellSets queries = random_sets(23, 60, 12, 12), reference = random_sets(24, 900, 12, 12);
  for (const int top : {1, 40, 300}) expect_plain_loops(queries, reference, {.top = top}, 7);
}

TEST(SketchEngines, SelfSearchLeavesOutTheOwnRowAlone) {
  for (const std::uint32_t n_tokens : {10u, 240u}) {
    const CellSets cells = random_sets(25 + n_tokens, 280, n_tokens, 100);
    expect_plain_loops(cells, cells, {.queries_are_reference = true});
  }
}

TEST(SketchEngines, NumberOfQueriesNeedNotFillABlock) {
  const CellSets reference = random_sets(26, 100, 100, 40);
  for (const std::int64_t n_queries : {1, 64, 65, 256, 257, 513}) {
    SCOPED_TRACE(n_queries);
    expect_plain_loops(random_sets(27, n_queries, 100, 40), reference, {.top = 5});
  }
}

TEST(SketchEngines, TilesPassesAndWorkersChangeNothing) {
  const CellSets queries = random_sets(28, 300, 100, 40), reference = random_sets(29, 500, 100, 40);
  const SearchOptions options{.top = 10};
  for (const auto prepare : {prepare_minhash, prepare_lsh, prepare_sketch8}) {
    const SearchResult wanted = prepare(reference, 42, {})->search(queries, options);
    for (const SimdTarget target : available_simd_targets())
      for (const std::int64_t tile_rows : {7, 64, 65})
        for (const int count : {1, 8}) {
          const Workers workers(count);
          const SketchSettings settings{.target = target, .tile_rows = tile_rows, .table_budget = 1};
          testing::expect_same(prepare(reference, 42, settings)->search(queries, options), wanted);
        }
  }
}

TEST(SketchEngines, LowestRowStandsForASetOfManyCopies) {
  CellSets queries(64), reference(64);
  queries.add({{1, 2, 3, 4}, {}});
  for (int copy = 0; copy < 3000; ++copy) {
    reference.add({{40}, {}});
    reference.add(
        {copy % 2 != 0 ? std::vector<std::uint16_t>{4, 3, 2, 1} : std::vector<std::uint16_t>{1, 2, 3, 4}, {}});
  }
  for (const auto prepare : {prepare_minhash, prepare_lsh, prepare_sketch8}) {
    const SearchResult found = prepare(reference, 42, {})->search(queries, {});
    ASSERT_EQ(found.nearest[0].size(), 1u);
    EXPECT_EQ(found.nearest[0][0].row, 1);
    EXPECT_EQ(found.nearest[0][0].multiplicity, 3000u);
    EXPECT_EQ(found.n_distinct, 2);
  }
}

// Two random sets of 2 n genes that share `shared` of a large universe: J = shared / (4 n - shared).
struct Pair {
  CellSet a, b;
};
Pair planted_pair(Stream& stream, std::uint32_t universe, std::uint32_t size, std::uint32_t shared) {
  std::vector<std::uint16_t> genes(universe);
  for (std::uint32_t gene = 0; gene < universe; ++gene) genes[gene] = static_cast<std::uint16_t>(gene);
  for (std::uint32_t at = 0; at < 2 * size - shared; ++at)
    std::swap(genes[at], genes[at + static_cast<std::uint32_t>(stream.below(universe - at))]);
  Pair pair;
  pair.a.tokens.assign(genes.begin(), genes.begin() + size);
  pair.b.tokens.assign(genes.begin() + (size - shared), genes.begin() + (2 * size - shared));
  return pair;
}

// 1 - (1 - J^8)^16 (doi:10.1145/276698.276876); 250 pairs each, five standard errors.
TEST(Lsh, FindsPlantedPairsAsOftenAsTheFormulaSays) {
  constexpr std::uint32_t kUniverse = 20000, kSize = 200;
  constexpr int kPairs = 250;
  Stream stream(99);
  for (const std::uint32_t shared : {60u, 133u, 165u, 180u, 195u}) {
    CellSets queries(kUniverse), reference(kUniverse);
    for (int pair = 0; pair < kPairs; ++pair) {
      const Pair planted = planted_pair(stream, kUniverse, kSize, shared);
      queries.add(planted.a);
      reference.add(planted.b);
    }
    const SearchResult found = prepare_lsh(reference, 42, {})->search(queries, {});
    int hits = 0;
    for (std::size_t pair = 0; pair < kPairs; ++pair) {
      const auto& entries = found.nearest[pair];
      hits += std::any_of(entries.begin(), entries.end(),
                          [&](const Neighbour& entry) { return entry.row == static_cast<std::int64_t>(pair); });
      EXPECT_EQ(found.no_candidate(pair), entries.empty());
    }
    const double j = static_cast<double>(shared) / (2 * kSize - shared);
    const double chance = 1 - std::pow(1 - std::pow(j, kBandRows), kBands);
    EXPECT_NEAR(hits, kPairs * chance, 5 * std::sqrt(kPairs * chance * (1 - chance)) + 1) << "J " << j;
  }
}

// Queries that keep about 25 % of a reference cell's genes: the estimates alone often name another row first.
TEST(Sketch8, FindsTheTrueNearestAmongThousands) {
  constexpr std::uint32_t kUniverse = 1000;
  const CellSets reference = random_sets(31, 3000, kUniverse, 400);
  CellSets queries(kUniverse);
  Stream stream(32);
  for (std::int64_t row = 0; row < 200; ++row) {
    CellSet cell;
    for (const std::uint16_t token : reference.tokens(10 * row))
      if (stream.unit() < .25) cell.tokens.push_back(token);
    queries.add(cell);
  }
  const SearchOptions one{.top = 1, .containment = false};
  const SearchResult found = prepare_sketch8(reference, 42, {})->search(queries, one);
  const SearchResult truth = search_once(find_variant(engines(), "exact", "engine"), queries, reference, one);
  const SearchResult estimate = prepare_minhash(reference, 42, {})->search(queries, one);
  int n_queries = 0, n_true = 0, n_estimated = 0;
  for (std::size_t query = 0; query < truth.nearest.size(); ++query) {
    if (truth.nearest[query].empty()) continue;
    ++n_queries;
    n_true += found.nearest[query] == truth.nearest[query];
    n_estimated += !estimate.nearest[query].empty() && estimate.nearest[query][0].row == truth.nearest[query][0].row;
  }
  EXPECT_GT(n_queries, 150);
  EXPECT_GE(n_true, n_queries * 95 / 100);
  EXPECT_LT(n_estimated, n_true);
}

// Published sets: estimates, equal bytes and bands of every pair with set 0.
TEST(SketchVectors, EstimatesBytesAndBandsOfTheEnginesAreThePublishedOnes) {
  const std::string path = std::string(SCVET_REFERENCE_DIR) + "/audit/minhash.json";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not here";
  const nlohmann::json file = nlohmann::json::parse(read_file(path));
  const auto universe = file.at("vocab").get<std::uint32_t>();
  const auto seed = file.at("seed").get<std::uint64_t>();
  const auto set_of = [&](std::size_t set) {
    return CellSet{file.at("sets").at(set).get<std::vector<std::uint16_t>>(), {}};
  };
  CellSets sets(universe);
  for (std::size_t set = 0; set < file.at("sets").size(); ++set) sets.add(set_of(set));
  const auto entry_of_row = [](const SearchResult& found, const nlohmann::json& pair) {
    for (const Neighbour& entry : found.nearest[pair.at("i").get<std::size_t>()])
      if (entry.row == pair.at("j")) return entry.jaccard();
    return 0.0;
  };
  const SketchReference bytes(sets, seed, SlotForm::kLowBytes, true);
  for (const SimdTarget target : available_simd_targets()) {
    const SketchSettings settings{.target = target};
    const SearchResult minhash = prepare_minhash(sets, seed, settings)->search(sets, {});
    const SearchResult lsh = prepare_lsh(sets, seed, settings)->search(sets, {});
    const SearchResult sketch8 = prepare_sketch8(sets, seed, settings)->search(sets, {});
    std::map<std::pair<std::int64_t, std::int64_t>, std::uint32_t> equal;
    best_by_slots(bytes, bytes.sketch(sets), 40, false, settings, [&](std::span<QueryRows> found) {
      for (const QueryRows& one : found)
        for (const ScoredRow& row : one.rows) equal[{one.query, row.row}] = row.equal;
    });
    for (const auto& pair : file.at("pairs")) {
      const double estimate = pair.at("est64");
      const std::uint32_t eq8 = pair.at("eq8");
      EXPECT_EQ(entry_of_row(minhash, pair), estimate);
      EXPECT_EQ(entry_of_row(lsh, pair), pair.at("bands_hit").get<int>() > 0 ? estimate : 0);
      EXPECT_EQ((equal[{pair.at("i"), pair.at("j")}]), eq8);
      EXPECT_EQ(entry_of_row(sketch8, pair), eq8 > 0 ? pair.at("exact").get<double>() : 0);
    }
  }
}

}  // namespace
}  // namespace scvet::sketch
