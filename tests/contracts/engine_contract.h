// What every engine promises, whatever it estimates. The test of an engine calls check_engine_contract(its record).
// Engines with exact_jaccard must besides equal the plain loop.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "contracts/naive_search.h"
#include "scvet/base/parallel.h"
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

// Every entry is a reference set with its true |A and B| and |A or B|, by its lowest row, once, in order.
inline void expect_entries_are_true(const SearchResult& found, const CellSets& queries, const CellSets& reference,
                                    const SearchOptions& options) {
  std::map<std::vector<std::uint16_t>, std::vector<std::int64_t>> rows_of;
  const auto sorted = [&](std::int64_t row) {
    const auto tokens = reference.tokens(row);
    std::vector<std::uint16_t> set(tokens.begin(), tokens.end());
    std::sort(set.begin(), set.end());
    return set;
  };
  for (std::int64_t row = 0; row < reference.n_cells(); ++row) rows_of[sorted(row)].push_back(row);
  ASSERT_EQ(found.nearest.size(), static_cast<std::size_t>(queries.n_cells()));
  for (std::int64_t query = 0; query < queries.n_cells(); ++query) {
    const auto& entries = found.nearest[static_cast<std::size_t>(query)];
    ASSERT_LE(entries.size(), static_cast<std::size_t>(options.top));
    ASSERT_TRUE(std::is_sorted(entries.begin(), entries.end(), before)) << "query " << query;
    for (const Neighbour& entry : entries) {
      ASSERT_GE(entry.row, 0);
      ASSERT_LT(entry.row, reference.n_cells());
      std::vector<std::int64_t> rows = rows_of[sorted(entry.row)];
      if (options.queries_are_reference) std::erase(rows, query);
      ASSERT_FALSE(rows.empty()) << "query " << query << " found itself";
      const auto a = queries.tokens(query), b = reference.tokens(entry.row);
      const std::uint32_t shared = shared_genes(a, b);
      const Neighbour truth{rows.front(), shared, static_cast<std::uint32_t>(a.size() + b.size()) - shared,
                            static_cast<std::uint32_t>(rows.size())};
      ASSERT_EQ(entry, truth) << "query " << query;
      ASSERT_GE(shared, 1u) << "query " << query;
    }
    for (std::size_t at = 1; at < entries.size(); ++at) ASSERT_NE(entries[at].row, entries[at - 1].row);
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

inline void check_engine_contract(const EngineRecord& engine) {
  const CellSets queries = random_sets(11, 70, 900, 300), reference = random_sets(12, 500, 900, 300);
  for (const int top : {1, 40}) {
    const SearchOptions options{.top = top};
    SCOPED_TRACE(std::string(engine.name) + ", top " + std::to_string(top));
    const Workers one(1);
    const SearchResult found = search_once(engine, queries, reference, options);
    EXPECT_EQ(found.n_reference, reference.n_cells());
    expect_entries_are_true(found, queries, reference, options);
    for (const int count : {2, 8}) {
      const Workers more(count);
      expect_same(search_once(engine, queries, reference, options), found);
    }
    // A query's answer does not hang on the other queries.
    const SearchResult moved = search_once(engine, with_rows_moved(queries, 3), reference, options);
    for (std::size_t query = 0; query < found.nearest.size(); ++query)
      EXPECT_EQ(moved.nearest[query], found.nearest[(query + 3) % found.nearest.size()]);
    if (engine.exact_jaccard) expect_same(found, naive_search(queries, reference, options));
  }
  // A copy of a cell is found by every engine: nothing is nearer.
  const SearchResult copies = search_once(engine, reference, reference, {});
  for (std::int64_t row = 0; row < reference.n_cells(); ++row) {
    if (reference.tokens(row).empty()) {
      EXPECT_TRUE(copies.nearest[static_cast<std::size_t>(row)].empty());
      continue;
    }
    ASSERT_FALSE(copies.nearest[static_cast<std::size_t>(row)].empty()) << "row " << row;
    EXPECT_EQ(copies.nearest[static_cast<std::size_t>(row)].front().jaccard(), 1.0) << "row " << row;
  }
  const SearchOptions self{.queries_are_reference = true};
  const SearchResult others = search_once(engine, queries, queries, self);
  expect_entries_are_true(others, queries, queries, self);
  // Nothing to look for, nothing to find it in.
  const CellSets none(900);
  EXPECT_TRUE(search_once(engine, none, reference, {}).nearest.empty());
  for (const auto& entries : search_once(engine, queries, none, {}).nearest) EXPECT_TRUE(entries.empty());
}

}  // namespace testing
}  // namespace scvet::sketch
