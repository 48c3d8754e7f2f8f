// The queries of a pass in blocks of one bit each, and what each has found so far.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "exact_kernel.h"
#include "exact_tile.h"
#include "scvet/sketch/search.h"

namespace scvet::sketch {

// An entry of a query's list: a set, by the lowest of its rows that was seen.
struct Candidate {
  std::int64_t row;
  std::uint64_t hash;
  std::uint32_t intersection, union_size;
  Neighbour neighbour() const { return {row, intersection, union_size, 0}; }
};

// What a query has found. Which rows come when does not change the end: the best `top` sets by (J, lowest row) survive,
// because a set that is among them stands in the list from its lowest row on.
struct Found {
  std::int64_t query = 0;  // row among the queries
  std::uint32_t size = 0;
  std::vector<Candidate> nearest;
  SearchResult::Containment containment;
};

// The needs of a block's lanes, as the kernels read them. A worker's own copy.
struct LaneNeeds {
  alignas(64) float slope[kMaxLanes];
  alignas(64) float size[kMaxLanes];
  alignas(64) float contain[kMaxLanes];
  std::uint32_t version = 0;
  std::int64_t first_row = -1;  // of the tile that `contain` was made for
};

struct FreeTable {
  void operator()(std::byte* table) const;
};

class QueryBlock {
 public:
  // Queries `members` (rows of `queries`), as many as the kernel has lanes at most.
  QueryBlock(const Kernel& kernel, const CellSets& queries, std::span<const std::int64_t> members,
             const SearchOptions& options);
  void build_table(const CellSets& queries, const TokenPlan& plan);
  void drop_table() { table_.reset(); }
  // Compares every row of the tile with every query.
  void compare(const Tile& tile, LaneNeeds& needs, std::vector<KernelHit>& hits);
  std::span<const Found> found() const { return found_; }

 private:
  void refresh(LaneNeeds& needs, std::int64_t first_row);
  void keep(const Tile& tile, std::size_t first, std::span<const KernelHit> hits);
  bool keep_nearest(Found& found, const Candidate& candidate) const;
  bool keep_containment(Found& found, std::int64_t row, std::uint32_t intersection) const;

  Kernel kernel_;
  SearchOptions options_;
  std::uint32_t zero_row_ = 0;
  std::unique_ptr<std::byte, FreeTable> table_;
  std::mutex mutex_;  // guards found_
  std::atomic<std::uint32_t> version_{1};
  std::vector<Found> found_;
};

// Memory for a table, in huge pages where the system gives them.
std::byte* make_table(std::size_t bytes);

// Bytes of a block's table.
std::size_t table_bytes(int lanes, std::uint32_t n_columns);

}  // namespace scvet::sketch
