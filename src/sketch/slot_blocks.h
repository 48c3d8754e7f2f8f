// The queries of a pass in blocks of one bit each, and the best rows of each so far.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "best_rows.h"
#include "exact_blocks.h"
#include "sketch_reference.h"
#include "slot_kernel.h"

namespace scvet::sketch {

// A worker's own room.
struct SlotWork {
  alignas(64) std::uint8_t need[kSlotLanes];
  std::uint32_t version = 0;  // of the block when `need` was made; 0: never
  std::int64_t first_row = -1;
  std::vector<SlotHit> hits;
  struct Offer {
    std::uint32_t lane;
    std::uint64_t key;
  };
  std::vector<Offer> offers;
};

class SlotQueries {
 public:
  // Queries `members`, as many as the kernel has lanes at most; the best `keep` rows of each are kept.
  SlotQueries(const SlotKernel& kernel, std::span<const std::int64_t> members, std::size_t keep, bool self);
  void build_table(const QuerySketches& queries);
  void drop_table() { table_.reset(); }
  void compare(const SketchReference& reference, const SketchPiece& piece, const QuerySketches& queries,
               SlotWork& work);
  std::span<const std::int64_t> members() const { return members_; }
  // Best first; empties the list of that lane.
  std::vector<ScoredRow> take(std::size_t lane) { return best_[lane].take(); }

 private:
  void refresh(SlotWork& work, std::int64_t first_row);
  void keep(std::span<const SlotWork::Offer> offers);

  SlotKernel kernel_;
  bool self_;
  std::vector<std::int64_t> members_;
  std::unique_ptr<std::byte, FreeTable> table_;
  std::mutex mutex_;  // guards best_
  std::atomic<std::uint32_t> version_{1};
  std::vector<BestRows> best_;
};

// Bytes of a block's table.
std::size_t slot_table_bytes(int lanes);

}  // namespace scvet::sketch
