// Nearest reference cells by Jaccard similarity. Engines are variants: src/sketch/engines/<name>.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scvet/sketch/cell_sets.h"

namespace scvet::sketch {

// J = intersection / union_size; ordered by the exact fraction, never by a rounded quotient.
struct Neighbour {
  std::int64_t row = -1;  // reference row, lowest of those with this very set
  std::uint32_t intersection = 0;
  std::uint32_t union_size = 0;
  std::uint32_t multiplicity = 0;  // reference rows with this very set

  double jaccard() const { return union_size ? static_cast<double>(intersection) / union_size : 0.0; }
};
// J descending, then row ascending.
inline bool before(const Neighbour& a, const Neighbour& b) {
  const std::uint64_t left = std::uint64_t{a.intersection} * b.union_size;
  const std::uint64_t right = std::uint64_t{b.intersection} * a.union_size;
  return left != right ? left > right : a.row < b.row;
}

struct SearchOptions {
  std::uint64_t seed = 42;  // of sketches; exact engines do not use it
  int top = 40;             // distinct sets kept per query
  bool containment = true;  // also the row that holds most of the query
  // Queries are rows of the reference itself: query i must not find its own row. A set that i shares with other rows
  // is then an entry made of those others.
  bool queries_are_reference = false;
};

struct SearchResult {
  // Per query the best entries (distinct reference sets of at least one gene, intersection >= 1), at most `top`.
  std::vector<std::vector<Neighbour>> nearest;
  // Per query the largest |A and B| over all reference rows, lowest row first; row -1 when no gene is shared.
  struct Containment {
    std::int64_t row = -1;
    std::uint32_t intersection = 0;
  };
  std::vector<Containment> containment;
  std::int64_t n_reference = 0, n_distinct = 0;  // rows and distinct non-empty sets
};

struct EngineRecord {
  const char* name;
  const char* summary;
  bool exact_jaccard;  // required by the same_cell null
  SearchResult (*search)(const CellSets& queries, const SetSource& reference, const SearchOptions& options);
};
std::span<const EngineRecord* const> engines();

}  // namespace scvet::sketch
