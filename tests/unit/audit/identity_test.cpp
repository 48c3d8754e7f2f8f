#include "identity.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "content_hash.h"
#include "scvet/base/parallel.h"
#include "scvet/base/random.h"

namespace scvet::audit {
namespace {

using sketch::CellSet;
using sketch::CellSets;

CellSets sets_of(const std::vector<CellSet>& cells, std::uint32_t n_tokens = 300) {
  CellSets sets(n_tokens);
  for (const CellSet& cell : cells) sets.add(cell);
  return sets;
}

TEST(ContentHasher, FoldsMatchThePublishedVector) {
  std::ifstream file(SCVET_REFERENCE_DIR "/audit/exact_match.json");
  if (!file) GTEST_SKIP() << "no reference vectors in " SCVET_REFERENCE_DIR;
  const auto vector = nlohmann::json::parse(file);
  ContentHasher hasher(300);
  for (const auto& entry : vector["cells"]) {
    SCOPED_TRACE(entry["name"].get<std::string>());
    CellSet cell;
    for (const auto& token : entry["order"]) {
      cell.tokens.push_back(token.get<std::uint16_t>());
      for (std::size_t at = 0; at < entry["tokens"].size(); ++at)
        if (entry["tokens"][at] == token) cell.counts.push_back(entry["counts"][at].get<std::uint32_t>());
    }
    const sketch::CellHashes hash = hasher.all(cell);
    const auto hex = [&](const char* key) { return std::stoull(entry[key].get<std::string>(), nullptr, 16); };
    EXPECT_EQ(hash.set, hex("hash_set"));
    EXPECT_EQ(hash.counts, hex("hash_counts"));
    EXPECT_EQ(hash.order, hex("hash_order"));
    EXPECT_EQ(hasher.set(cell.tokens), hash.set);
  }
}

TEST(ContentHasher, AgreesWithTheSketchsHashAndKeepsNothingBetweenCells) {
  Stream stream(3);
  ContentHasher hasher(5000);
  for (int round = 0; round < 50; ++round) {
    CellSet cell;
    for (std::uint16_t token = 0; token < 5000; ++token)
      if (stream.unit() < .1) cell.tokens.push_back(token);
    for (std::size_t at = cell.tokens.size(); at-- > 1;) std::swap(cell.tokens[at], cell.tokens[stream.below(at + 1)]);
    if (round % 2)
      for (std::size_t at = 0; at < cell.tokens.size(); ++at)
        cell.counts.push_back(static_cast<std::uint32_t>(1 + stream.below(9)));
    const sketch::CellHashes fast = hasher.all(cell), plain = sketch::hash_cell(cell);
    EXPECT_EQ(fast.set, plain.set);
    EXPECT_EQ(fast.counts, plain.counts);
    EXPECT_EQ(fast.order, plain.order);
  }
}

TEST(Identity, FindsTheLowestRowOfEachKind) {
  const CellSet a{{5, 3, 9}, {7, 4, 1}}, reordered{{3, 5, 9}, {7, 4, 1}}, other{{5, 3, 8}, {7, 4, 1}};
  const IdentityScan scan = scan_identities(sets_of({a, other}), sets_of({{{1}, {1}}, reordered, a, a}));
  EXPECT_EQ(scan.matches.set[0], 1);
  EXPECT_EQ(scan.matches.counts[0], 2);
  EXPECT_EQ(scan.matches.order[0], 2);
  EXPECT_EQ(scan.matches.set[1], -1);
}

TEST(Identity, CountsAreComparedOnlyWhereBothSidesHoldThem) {
  const CellSet counted{{5, 3, 9}, {7, 4, 1}}, bare{{5, 3, 9}, {}};
  const IdentityScan scan = scan_identities(sets_of({counted, bare}), sets_of({bare}));
  EXPECT_EQ(scan.matches.counts[0], -1);
  EXPECT_EQ(scan.matches.counts[1], -1);
  EXPECT_EQ(scan.matches.order[0], 0);
  EXPECT_EQ(scan.matches.order[1], 0);
}

TEST(Identity, MatchesOneGeneAndNeverNoGene) {
  const IdentityScan scan = scan_identities(sets_of({{{4}, {2}}, {{}, {}}}), sets_of({{{}, {}}, {{4}, {2}}}));
  EXPECT_EQ(scan.matches.counts[0], 1);
  EXPECT_EQ(scan.matches.set[1], -1);
  EXPECT_EQ(scan.benchmark.set, 0);
}

TEST(Identity, CountsPairsOfDifferentCellsAsControls) {
  const CellSet a{{5, 3}, {7, 4}}, more{{5, 3}, {8, 4}}, turned{{3, 5}, {7, 4}};
  const IdentityScan scan = scan_identities(sets_of({a, more, turned}), sets_of({a, a, a, more, {{}, {}}, {{}, {}}}));
  EXPECT_EQ(scan.benchmark.set, 3);
  EXPECT_EQ(scan.benchmark.counts, 0);
  EXPECT_EQ(scan.benchmark.order, 1);
  EXPECT_TRUE(scan.benchmark.set_hides_difference);
  EXPECT_EQ(scan.reference.set, 6);
  EXPECT_EQ(scan.reference.counts, 3);
  EXPECT_EQ(scan.reference.order, 6);
}

TEST(Identity, EqualCopiesInTheBenchmarkHideNothing) {
  const CellSet a{{5, 3}, {7, 4}}, bare{{5, 3}, {}};
  EXPECT_FALSE(scan_identities(sets_of({a, a, bare}), sets_of({})).benchmark.set_hides_difference);
  EXPECT_TRUE(scan_identities(sets_of({bare, a, {{5, 3}, {9, 4}}}), sets_of({})).benchmark.set_hides_difference);
}

TEST(Identity, IsTheSameForAnyNumberOfWorkers) {
  Stream stream(11);
  CellSets reference(40), benchmark(40);
  for (int row = 0; row < 20000; ++row) {
    CellSet cell;
    for (std::uint16_t token = 0; token < 40; ++token)
      if (stream.unit() < .1) cell.tokens.push_back(token);
    (row % 40 ? reference : benchmark).add(cell);
  }
  set_workers(1);
  const IdentityScan one = scan_identities(benchmark, reference);
  set_workers(8);
  const IdentityScan eight = scan_identities(benchmark, reference);
  set_workers(0);
  EXPECT_EQ(one.matches.set, eight.matches.set);
  EXPECT_EQ(one.matches.order, eight.matches.order);
  EXPECT_EQ(one.reference.set, eight.reference.set);
  EXPECT_GT(one.reference.set, 1000);
}

}  // namespace
}  // namespace scvet::audit
