// The counts of many cells in little memory: a gap to the next gene and a count, about two bytes a non-zero.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace scvet::trial {

// Cells in the order they were added.
class CountsStore {
 public:
  // Ascending genes, counts above 0.
  static void encode(std::span<const std::uint32_t> genes, std::span<const std::uint32_t> counts,
                     std::vector<std::uint8_t>& out);
  void add(std::span<const std::uint8_t> encoded) {
    bytes_.insert(bytes_.end(), encoded.begin(), encoded.end());
    ends_.push_back(bytes_.size());
  }
  void reserve(std::size_t bytes, std::size_t cells) {
    bytes_.reserve(bytes);
    ends_.reserve(cells);
  }
  void release() { *this = {}; }
  std::int64_t n_cells() const { return static_cast<std::int64_t>(ends_.size()); }
  std::size_t bytes() const { return bytes_.size(); }
  std::span<const std::uint8_t> encoded(std::int64_t cell) const {
    const std::size_t at = static_cast<std::size_t>(cell), start = at == 0 ? 0 : ends_[at - 1];
    return {bytes_.data() + start, ends_[at] - start};
  }
  // body(gene, count), genes ascending.
  template <typename Body>
  void each(std::int64_t cell, Body body) const {
    decode(encoded(cell), body);
  }
  template <typename Body>
  static void decode(std::span<const std::uint8_t> encoded, Body body);

 private:
  std::vector<std::uint8_t> bytes_;
  std::vector<std::size_t> ends_;
};

constexpr std::uint8_t kWideCount = 255;  // a count of 255 or more follows in four bytes

template <typename Body>
void CountsStore::decode(std::span<const std::uint8_t> encoded, Body body) {
  const std::uint8_t* at = encoded.data();
  const std::uint8_t* const end = at + encoded.size();
  std::uint32_t gene = 0;
  while (at < end) {
    std::uint32_t gap = *at++;
    if (gap >= 128) {
      gap &= 127;
      for (int shift = 7;; shift += 7) {
        const std::uint32_t next = *at++;
        gap |= (next & 127) << shift;
        if (next < 128) break;
      }
    }
    gene += gap;
    std::uint32_t count = *at++;
    if (count == kWideCount) {
      count = static_cast<std::uint32_t>(at[0]) | static_cast<std::uint32_t>(at[1]) << 8 |
              static_cast<std::uint32_t>(at[2]) << 16 | static_cast<std::uint32_t>(at[3]) << 24;
      at += 4;
    }
    body(gene, count);
  }
}

}  // namespace scvet::trial
