#include "bands.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <tuple>

namespace scvet::sketch {
namespace {

std::uint64_t eight_bytes(const std::uint8_t* from) {
  static_assert(kBandRows == 8);
  std::uint64_t value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

}  // namespace

std::uint64_t BandIndex::key(const std::uint8_t* low, const std::uint8_t* high) {
  std::uint64_t value = (eight_bytes(low) ^ std::rotl(eight_bytes(high) * 0x9E3779B97F4A7C15ull, 32));
  value = (value ^ value >> 32) * 0xD1342543DE82EF95ull;
  return (value ^ value >> 29) * 0xBF58476D1CE4E5B9ull;
}

BandIndex::BandIndex(int band, const QuerySketches& queries, std::span<const std::int64_t> members)
    : offset_(static_cast<std::size_t>(band * kBandRows)) {
  // 16 bits of filter and half a bucket a query: most rows are turned away by one look.
  const int bits = std::max(6, static_cast<int>(std::bit_width(members.size())));
  filter_shift_ = 64 - (bits + 4);
  bucket_shift_ = 64 - bits;
  filter_.assign((std::size_t{1} << (bits + 4)) / 64, 0);
  for (std::size_t member = 0; member < members.size(); ++member) {
    const std::uint64_t hash =
        key(queries.planes.low(members[member]) + offset_, queries.planes.high(members[member]) + offset_);
    entries_.push_back({hash, static_cast<std::uint32_t>(member)});
    filter_[(hash >> filter_shift_) / 64] |= std::uint64_t{1} << (hash >> filter_shift_) % 64;
  }
  std::sort(entries_.begin(), entries_.end(),
            [](const Entry& a, const Entry& b) { return std::tie(a.key, a.member) < std::tie(b.key, b.member); });
  starts_.assign((std::size_t{1} << bits) + 1, 0);
  for (const Entry& entry : entries_) ++starts_[(entry.key >> bucket_shift_) + 1];
  for (std::size_t bucket = 1; bucket < starts_.size(); ++bucket) starts_[bucket] += starts_[bucket - 1];
}

std::uint32_t equal_band_bits(const std::uint8_t* low_a, const std::uint8_t* high_a, const std::uint8_t* low_b,
                              const std::uint8_t* high_b) {
  std::uint32_t bits = 0;
  for (int band = 0; band < kBands; ++band) {
    const int at = band * kBandRows;
    const bool equal =
        eight_bytes(low_a + at) == eight_bytes(low_b + at) && eight_bytes(high_a + at) == eight_bytes(high_b + at);
    bits |= static_cast<std::uint32_t>(equal) << band;
  }
  return bits;
}

}  // namespace scvet::sketch
