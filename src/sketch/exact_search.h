// The exact search with its inner choices open, for tests and benchmarks; engines/exact.cpp makes them.
#pragma once

#include <cstdint>

#include "scvet/base/cpu.h"
#include "scvet/sketch/search.h"

namespace scvet::sketch {

// None of these changes a result.
struct ExactSettings {
  SimdTarget target = SimdTarget::kScalar;
  std::int64_t tile_rows = 8192;                      // reference rows that a worker reads at a time
  std::size_t table_budget = std::size_t{1} << 28;    // bytes of query tables per pass over the reference
  std::uint64_t first_hash_mask = ~std::uint64_t{0};  // fewer bits make hashes collide, which must be noticed
};

SearchResult search_exact(const CellSets& queries, const SetSource& reference, const SearchOptions& options,
                          const ExactSettings& settings);

}  // namespace scvet::sketch
