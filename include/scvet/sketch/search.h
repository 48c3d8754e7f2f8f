// Nearest reference cells by Jaccard similarity. Engines are variants: src/sketch/engines/<name>.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "scvet/sketch/cell_sets.h"

namespace scvet::sketch {

// J = intersection / union_size; ordered by the exact fraction, never by a rounded quotient. Both numbers are genes where
// the engine counts genes (EngineRecord::counts_genes), else equal slots and all slots of two MinHash sketches (kSlots).
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
  int top = 40;             // distinct sets kept per query
  bool containment = true;  // also the row that holds most of the query, where the engine can say
  // Queries are rows of the reference itself: query i must not find its own row. A set that i shares with other rows
  // is then an entry made of those others.
  bool queries_are_reference = false;
};

struct SearchResult {
  // Per query the best entries (distinct reference sets of at least one gene, intersection >= 1), at most `top`.
  std::vector<std::vector<Neighbour>> nearest;
  // Per query the largest |A and B| over all reference rows, lowest row first; row -1 when no gene is shared or when the
  // engine does not give it. One a query, whatever was asked for.
  struct Containment {
    std::int64_t row = -1;
    std::uint32_t intersection = 0;
  };
  std::vector<Containment> containment;
  std::int64_t n_reference = 0, n_distinct = 0;  // rows and distinct non-empty sets
  bool all_compared = true;                      // EngineRecord::all_compared
  // The engine looked at no reference row for this query (J* = 0), which does not say that none is near.
  bool no_candidate(std::size_t query) const { return !all_compared && nearest[query].empty(); }
};

// A reference made ready once, to be searched any number of times. It keeps a reference to its SetSource.
class PreparedReference {
 public:
  virtual ~PreparedReference() = default;
  // One call at a time: a call uses all workers by itself. The same bytes for any number of workers and SIMD target, and
  // a query's answer does not hang on the other queries.
  virtual SearchResult search(const CellSets& queries, const SearchOptions& options) = 0;
  // A sentence for the report on how it was made ready, "" where there is nothing to say.
  virtual std::string note() const { return {}; }
  // Whether the seed that it was prepared with matters.
  virtual bool seeded() const { return true; }
};

struct EngineRecord {
  const char* name;
  const char* summary;
  bool exact_jaccard;  // the entries are the true nearest sets with their true J; required by the same_cell null
  bool counts_genes;   // intersection and union_size of an entry are its true counts of genes; else slots
  bool containment;    // SearchResult::containment is given
  bool all_compared;   // every reference row is compared; else candidates only, and there may be none
  // `seed`: of the hashes of engines that estimate (audit specification, section 1).
  std::unique_ptr<PreparedReference> (*prepare)(const SetSource& reference, std::uint64_t seed);
};
std::span<const EngineRecord* const> engines();

// For engines: InternalError when the two sides cannot be compared.
void check_search(const CellSets& queries, const SetSource& reference, const SearchOptions& options);

// For a reference that is searched once.
inline SearchResult search_once(const EngineRecord& engine, const CellSets& queries, const SetSource& reference,
                                const SearchOptions& options, std::uint64_t seed = 42) {
  return engine.prepare(reference, seed)->search(queries, options);
}

}  // namespace scvet::sketch
