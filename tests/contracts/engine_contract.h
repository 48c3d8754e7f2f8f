// What every engine promises, whatever it estimates, and what its record adds to that. engines_test.cpp runs it over the
// whole table. Engines with exact_jaccard must besides equal the plain loop.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "contracts/naive_search.h"
#include "scvet/base/error.h"
#include "scvet/base/parallel.h"
#include "scvet/sketch/minhash.h"
#include "scvet/sketch/search.h"

namespace scvet::sketch {

// For EXPECT_EQ and its messages; here, in the namespace of the types, so that the look-up finds them.
inline bool operator==(const Neighbour& a, const Neighbour& b) {
  return a.row == b.row && a.intersection == b.intersection && a.union_size == b.union_size &&
         a.multiplicity == b.multiplicity;
}
inline void PrintTo(const Neighbour& entry, std::ostream* out) {
  *out << entry.intersection << "/" << entry.union_size << " row " << entry.row << " x" << entry.multiplicity;
}
inline bool operator==(const SearchResult::Containment& a, const SearchResult::Containment& b) {
  return a.row == b.row && a.intersection == b.intersection;
}
inline void PrintTo(const SearchResult::Containment& found, std::ostream* out) {
  *out << found.intersection << " in row " << found.row;
}

namespace testing {

inline void expect_same(const SearchResult& found, const SearchResult& wanted) {
  EXPECT_EQ(found.n_reference, wanted.n_reference);
  EXPECT_EQ(found.n_distinct, wanted.n_distinct);
  ASSERT_EQ(found.nearest.size(), wanted.nearest.size());
  ASSERT_EQ(found.containment.size(), wanted.containment.size());
  for (std::size_t query = 0; query < wanted.nearest.size(); ++query) {
    ASSERT_EQ(found.nearest[query], wanted.nearest[query]) << "query " << query;
    ASSERT_EQ(found.containment[query], wanted.containment[query]) << "query " << query;
  }
}

// Restores the number of workers that the tests were started with.
struct Workers {
  explicit Workers(int count) { set_workers(count); }
  ~Workers() { set_workers(0); }
};

inline std::uint32_t shared_genes(std::span<const std::uint16_t> a, std::span<const std::uint16_t> b) {
  std::set<std::uint16_t> held(a.begin(), a.end());
  return static_cast<std::uint32_t>(
      std::count_if(b.begin(), b.end(), [&](std::uint16_t token) { return held.contains(token); }));
}

// Every entry is a reference set by its lowest row, once, in order, with its multiplicity; its numbers are the true
// |A and B| and |A or B| where the engine counts genes, else 1 to kSlots equal slots of kSlots.
inline void expect_entries_hold(const EngineRecord& engine, const SearchResult& found, const CellSets& queries,
                                const CellSets& reference, const SearchOptions& options) {
  std::map<std::vector<std::uint16_t>, std::vector<std::int64_t>> rows_of;
  const auto sorted = [&](std::int64_t row) {
    const auto tokens = reference.tokens(row);
    std::vector<std::uint16_t> set(tokens.begin(), tokens.end());
    std::sort(set.begin(), set.end());
    return set;
  };
  for (std::int64_t row = 0; row < reference.n_cells(); ++row) rows_of[sorted(row)].push_back(row);
  EXPECT_EQ(found.n_reference, reference.n_cells());
  EXPECT_EQ(found.n_distinct, static_cast<std::int64_t>(rows_of.size() - rows_of.count({})));
  EXPECT_EQ(found.all_compared, engine.all_compared);
  ASSERT_EQ(found.nearest.size(), static_cast<std::size_t>(queries.n_cells()));
  ASSERT_EQ(found.containment.size(), static_cast<std::size_t>(queries.n_cells()));
  for (std::int64_t query = 0; query < queries.n_cells(); ++query) {
    const auto& entries = found.nearest[static_cast<std::size_t>(query)];
    ASSERT_LE(entries.size(), static_cast<std::size_t>(options.top));
    ASSERT_TRUE(std::is_sorted(entries.begin(), entries.end(), before)) << "query " << query;
    EXPECT_EQ(found.no_candidate(static_cast<std::size_t>(query)), entries.empty() && !engine.all_compared);
    if (!engine.containment) {
      EXPECT_EQ(found.containment[static_cast<std::size_t>(query)].row, -1);
    }
    std::set<std::int64_t> seen;
    for (const Neighbour& entry : entries) {
      ASSERT_GE(entry.row, 0);
      ASSERT_LT(entry.row, reference.n_cells());
      ASSERT_TRUE(seen.insert(entry.row).second) << "query " << query << " has row " << entry.row << " twice";
      std::vector<std::int64_t> rows = rows_of[sorted(entry.row)];
      if (options.queries_are_reference) std::erase(rows, query);
      ASSERT_FALSE(rows.empty()) << "query " << query << " found itself";
      ASSERT_FALSE(reference.tokens(entry.row).empty());
      Neighbour truth{rows.front(), entry.intersection, kSlots, static_cast<std::uint32_t>(rows.size())};
      if (engine.counts_genes) {
        const auto a = queries.tokens(query), b = reference.tokens(entry.row);
        truth.intersection = shared_genes(a, b);
        truth.union_size = static_cast<std::uint32_t>(a.size() + b.size()) - truth.intersection;
      }
      ASSERT_EQ(entry, truth) << "query " << query;
      ASSERT_GE(entry.intersection, 1u) << "query " << query;
      ASSERT_LE(entry.intersection, entry.union_size) << "query " << query;
    }
  }
}

inline CellSets with_rows_moved(const CellSets& cells, std::int64_t step) {
  CellSets moved(cells.n_tokens());
  CellSet cell;
  for (std::int64_t row = 0; row < cells.n_cells(); ++row) {
    cells.read((row + step) % cells.n_cells(), cell);
    moved.add(cell);
  }
  return moved;
}

// A copy of a cell is found by every engine, with J = 1: nothing is nearer.
inline void expect_copies_are_found(const EngineRecord& engine, const CellSets& reference) {
  const SearchResult copies = search_once(engine, reference, reference, {});
  for (std::int64_t row = 0; row < reference.n_cells(); ++row) {
    const auto& entries = copies.nearest[static_cast<std::size_t>(row)];
    if (reference.tokens(row).empty()) {
      EXPECT_TRUE(entries.empty());
      continue;
    }
    ASSERT_FALSE(entries.empty()) << "row " << row;
    EXPECT_EQ(entries.front().jaccard(), 1.0) << "row " << row;
    EXPECT_TRUE(std::any_of(entries.begin(), entries.end(),
                            [&](const Neighbour& entry) {
                              const auto found = reference.tokens(entry.row), own = reference.tokens(row);
                              return entry.jaccard() == 1.0 &&
                                     std::is_permutation(own.begin(), own.end(), found.begin(), found.end());
                            }))
        << "row " << row;
  }
}

// An estimate lies near the true J: within 5 standard errors of 128 slots, sqrt(J (1 - J) / 128).
inline void expect_estimates_are_bounded(const EngineRecord& engine, const SearchResult& found, const CellSets& queries,
                                         const CellSets& reference) {
  if (engine.counts_genes) return;
  for (std::int64_t query = 0; query < queries.n_cells(); ++query)
    for (const Neighbour& entry : found.nearest[static_cast<std::size_t>(query)]) {
      const auto a = queries.tokens(query), b = reference.tokens(entry.row);
      const double shared = shared_genes(a, b);
      const double truth = shared / (static_cast<double>(a.size() + b.size()) - shared);
      EXPECT_NEAR(entry.jaccard(), truth, 5 * std::sqrt(truth * (1 - truth) / kSlots) + 1e-12)
          << "query " << query << " row " << entry.row;
    }
}

inline void expect_nothing_in_nothing(const EngineRecord& engine, const CellSets& queries, const CellSets& reference) {
  const CellSets none(queries.n_tokens());
  CellSets empty(queries.n_tokens());
  for (int row = 0; row < 3; ++row) empty.add({});
  EXPECT_TRUE(search_once(engine, none, reference, {}).nearest.empty());
  for (const CellSets* nothing : {&none, static_cast<const CellSets*>(&empty)}) {
    const SearchResult found = search_once(engine, queries, *nothing, {});
    EXPECT_EQ(found.n_distinct, 0);
    ASSERT_EQ(found.nearest.size(), static_cast<std::size_t>(queries.n_cells()));
    for (const auto& entries : found.nearest) EXPECT_TRUE(entries.empty());
  }
  for (const auto& entries : search_once(engine, empty, reference, {}).nearest) EXPECT_TRUE(entries.empty());
  EXPECT_TRUE(search_once(engine, queries, reference, {.top = 0}).nearest.front().empty());
}

inline void check_engine_contract(const EngineRecord& engine) {
  const CellSets queries = random_sets(11, 70, 900, 300), reference = random_sets(12, 500, 900, 300);
  for (const int top : {1, 40}) {
    const SearchOptions options{.top = top};
    SCOPED_TRACE(std::string(engine.name) + ", top " + std::to_string(top));
    const Workers one(1);
    const SearchResult found = search_once(engine, queries, reference, options);
    expect_entries_hold(engine, found, queries, reference, options);
    expect_estimates_are_bounded(engine, found, queries, reference);
    for (const int count : {2, 8}) {
      const Workers more(count);
      expect_same(search_once(engine, queries, reference, options), found);
    }
    // A prepared reference gives the same answer each time, and a query's answer does not hang on the other queries.
    const auto prepared = engine.prepare(reference, 42);
    const SearchResult moved = prepared->search(with_rows_moved(queries, 3), options);
    for (std::size_t query = 0; query < found.nearest.size(); ++query)
      EXPECT_EQ(moved.nearest[query], found.nearest[(query + 3) % found.nearest.size()]);
    expect_same(prepared->search(queries, options), found);
    if (engine.exact_jaccard) expect_same(found, naive_search(queries, reference, options));
  }
  expect_copies_are_found(engine, reference);
  const SearchOptions self{.queries_are_reference = true};
  const SearchResult others = search_once(engine, queries, queries, self);
  expect_entries_hold(engine, others, queries, queries, self);
  expect_nothing_in_nothing(engine, queries, reference);
  EXPECT_THROW(search_once(engine, CellSets(10), CellSets(11), {}), InternalError);
}

}  // namespace testing
}  // namespace scvet::sketch
