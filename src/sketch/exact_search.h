// The exact search with its inner choices open, for tests and benchmarks; engines/exact.cpp makes them.
#pragma once

#include <cstdint>
#include <optional>

#include "exact_groups.h"
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

// The set groups of the reference are found in the first search and kept.
class ExactReference : public PreparedReference {
 public:
  ExactReference(const SetSource& reference, const ExactSettings& settings);
  SearchResult search(const CellSets& queries, const SearchOptions& options) override;
  bool seeded() const override { return false; }

 private:
  bool attempt(const CellSets& queries, const SearchOptions& options, SearchResult& result);

  const SetSource& reference_;
  ExactSettings settings_;
  std::uint64_t salt_ = 0;
  std::uint64_t hash_mask_;
  std::optional<SetGroups> groups_;
};

SearchResult search_exact(const CellSets& queries, const SetSource& reference, const SearchOptions& options,
                          const ExactSettings& settings);

}  // namespace scvet::sketch
