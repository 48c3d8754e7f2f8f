// The engines over sketches with their inner choices open, for tests and benchmarks; engines/{sketch8,minhash,lsh}.cpp make
// them. What each promises: docs/engines.md.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "best_rows.h"
#include "scvet/base/cpu.h"
#include "scvet/sketch/search.h"
#include "sketch_reference.h"

namespace scvet::sketch {

// None of these changes a result but use_stored, which changes the hashes.
struct SketchSettings {
  SimdTarget target = SimdTarget::kScalar;
  std::int64_t tile_rows = 4096;                    // reference rows that a worker takes at a time
  std::size_t table_budget = std::size_t{1} << 28;  // bytes of query tables per pass over the reference
  bool use_stored = true;
};

constexpr int kReRanked = 200;  // entries of sketch8 whose true J is counted, or `top` when that is more

std::unique_ptr<PreparedReference> prepare_sketch8(const SetSource& reference, std::uint64_t seed,
                                                   const SketchSettings& settings);
std::unique_ptr<PreparedReference> prepare_minhash(const SetSource& reference, std::uint64_t seed,
                                                   const SketchSettings& settings);
std::unique_ptr<PreparedReference> prepare_lsh(const SetSource& reference, std::uint64_t seed,
                                               const SketchSettings& settings);

// The best rows of one query, of distinct sets.
struct QueryRows {
  std::int64_t query = 0;
  std::vector<ScoredRow> rows;
};

// Counts equal slots of every query with every row and hands over the best `keep` of each query, some queries at a time.
void best_by_slots(const SketchReference& reference, const QuerySketches& queries, std::size_t keep, bool self,
                   const SketchSettings& settings, const std::function<void(std::span<QueryRows>)>& take);

// Empty lists of the right size, and what the reference says of itself.
SearchResult empty_result(const SketchReference& reference, const CellSets& queries, bool all_compared);

// The entry of a row as the result shows it, with multiplicity. `self`: the row of the query itself does not count.
Neighbour entry_of(const SketchReference& reference, std::int64_t row, std::uint32_t intersection,
                   std::uint32_t union_size, std::int64_t query, bool self);

// Estimates as entries: equal slots of kSlots.
void write_estimates(const SketchReference& reference, std::span<QueryRows> found, bool self, SearchResult& result);

}  // namespace scvet::sketch
