// The best rows of one query by equal slots, then by lowest row. Whatever the order in which rows are offered, the end is
// the same: a row is turned away only when `keep` better ones are held already.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "scvet/sketch/minhash.h"

namespace scvet::sketch {

// Ascending keys are best first.
constexpr int kRowBits = 56;
constexpr std::uint64_t row_key(std::uint32_t equal, std::int64_t row) {
  return (std::uint64_t{kSlots} - equal) << kRowBits | static_cast<std::uint64_t>(row);
}
struct ScoredRow {
  std::int64_t row = 0;
  std::uint32_t equal = 0;
};
constexpr ScoredRow scored_row(std::uint64_t key) {
  return {static_cast<std::int64_t>(key & ((std::uint64_t{1} << kRowBits) - 1)),
          static_cast<std::uint32_t>(kSlots - (key >> kRowBits))};
}

class BestRows {
 public:
  explicit BestRows(std::size_t keep = 0) : keep_(keep), bar_(keep > 0 ? ~std::uint64_t{0} : 0) {}
  // Each row at most once. True when the bar moved.
  bool offer(std::uint64_t key) {
    if (key >= bar_) return false;
    keys_.push_back(key);
    if (keys_.size() < keep_ + std::max<std::size_t>(keep_, 16)) return false;
    cut();
    bar_ = *std::max_element(keys_.begin(), keys_.end());
    return true;
  }
  // Keys from here on are of no interest.
  std::uint64_t bar() const { return bar_; }
  // The least number of equal slots with which a row from `first_row` on would be kept, at least 1; may exceed kSlots.
  std::uint32_t need(std::int64_t first_row) const {
    if (keep_ == 0) return kSlots + 1;
    if (bar_ == ~std::uint64_t{0}) return 1;
    const ScoredRow last = scored_row(bar_);
    return std::max(1u, first_row < last.row ? last.equal : last.equal + 1);
  }
  // Best first; empties the list.
  std::vector<ScoredRow> take() {
    cut();
    std::sort(keys_.begin(), keys_.end());
    std::vector<ScoredRow> rows;
    for (const std::uint64_t key : keys_) rows.push_back(scored_row(key));
    keys_ = {};
    return rows;
  }

 private:
  void cut() {
    if (keys_.size() <= keep_) return;
    std::nth_element(keys_.begin(), keys_.begin() + static_cast<std::ptrdiff_t>(keep_), keys_.end());
    keys_.resize(keep_);
  }
  std::size_t keep_;
  std::uint64_t bar_;
  std::vector<std::uint64_t> keys_;
};

}  // namespace scvet::sketch
