#include "slot_blocks.h"

#include <algorithm>
#include <cstring>

namespace scvet::sketch {

std::size_t slot_table_bytes(int lanes) { return 256 * kSlotBytes * static_cast<std::size_t>(lanes / 8); }

SlotQueries::SlotQueries(const SlotKernel& kernel, std::span<const std::int64_t> members, std::size_t keep, bool self)
    : kernel_(kernel), self_(self), members_(members.begin(), members.end()), best_(members.size(), BestRows(keep)) {}

void SlotQueries::build_table(const QuerySketches& queries) {
  const std::size_t bytes = slot_table_bytes(kernel_.lanes), row_bytes = static_cast<std::size_t>(kernel_.lanes / 8);
  table_.reset(make_table(bytes));
  std::memset(table_.get(), 0, bytes);
  for (std::size_t lane = 0; lane < members_.size(); ++lane) {
    const std::uint8_t* const low = queries.planes.low(members_[lane]);
    for (std::size_t slot = 0; slot < kSlotBytes; ++slot)
      table_.get()[(256 * slot + low[slot]) * row_bytes + lane / 8] |= static_cast<std::byte>(1 << lane % 8);
  }
}

void SlotQueries::refresh(SlotWork& work, std::int64_t first_row) {
  if (work.version == version_ && work.first_row == first_row) return;
  const std::lock_guard lock(mutex_);
  std::fill(std::begin(work.need), std::end(work.need), kNoNeed);
  for (std::size_t lane = 0; lane < members_.size(); ++lane)
    if (const std::uint32_t need = best_[lane].need(first_row); need <= kSlots)
      work.need[lane] = static_cast<std::uint8_t>(need);
  work.version = version_;
  work.first_row = first_row;
}

void SlotQueries::compare(const SketchReference& reference, const SketchPiece& piece, const QuerySketches& queries,
                          SlotWork& work) {
  const auto n_rows = static_cast<std::size_t>(piece.count);
  work.hits.resize(kSlotRows * static_cast<std::size_t>(kernel_.lanes));
  for (std::size_t first = 0; first < n_rows; first += kSlotRows) {
    refresh(work, piece.first);
    const std::uint8_t* const rows = piece.low + first * kSlotBytes;
    const std::size_t n_hits =
        kernel_.run({table_.get(), work.need}, rows, std::min(kSlotRows, n_rows - first), work.hits.data());
    work.offers.clear();
    for (const SlotHit& hit : std::span(work.hits).first(n_hits)) {
      std::int64_t row = piece.first + static_cast<std::int64_t>(first + hit.row);
      const std::int64_t query = members_[hit.lane];
      if (!reference.stands(row)) continue;
      std::uint32_t equal = hit.equal;
      if (self_ && row == query) {
        // The set without this row is one that begins with the next row that holds it.
        const RepeatedSet* const set = reference.repeated(row);
        if (!set) continue;
        row = set->second;
      } else if (piece.high) {
        const std::size_t at = (first + hit.row) * kSlotBytes;
        equal = equal_genes(piece.low + at, piece.high + at, queries.planes.low(query), queries.planes.high(query));
        if (equal < work.need[hit.lane]) continue;
      }
      work.offers.push_back({hit.lane, row_key(equal, row)});
    }
    if (!work.offers.empty()) keep(work.offers);
  }
}

void SlotQueries::keep(std::span<const SlotWork::Offer> offers) {
  const std::lock_guard lock(mutex_);
  bool moved = false;
  for (const SlotWork::Offer& offer : offers) moved |= best_[offer.lane].offer(offer.key);
  if (moved) version_.fetch_add(1);
}

}  // namespace scvet::sketch
