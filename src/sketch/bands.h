// Locality-sensitive hashing of sketches (doi:10.1145/276698.276876): two cells are candidates when all kBandRows slots of
// one of the kBands bands are equal. The bands of the queries are indexed and the reference streams past them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sketch_reference.h"

namespace scvet::sketch {

// The queries that have each content of one band.
class BandIndex {
 public:
  BandIndex(int band, const QuerySketches& queries, std::span<const std::int64_t> members);
  // Calls body(place among members) for each query whose band may equal the row's (its key does).
  template <typename Body>
  void for_matches(const std::uint8_t* low, const std::uint8_t* high, const Body& body) const {
    const std::uint64_t wanted = key(low + offset_, high + offset_);
    const std::uint64_t bit = wanted >> filter_shift_;
    if (!((filter_[bit / 64] >> bit % 64) & 1)) return;
    const std::uint64_t bucket = wanted >> bucket_shift_;
    for (std::uint32_t at = starts_[bucket]; at < starts_[bucket + 1]; ++at)
      if (entries_[at].key == wanted) body(entries_[at].member);
  }

 private:
  struct Entry {
    std::uint64_t key;
    std::uint32_t member;
  };
  static std::uint64_t key(const std::uint8_t* low, const std::uint8_t* high);
  std::size_t offset_;
  int filter_shift_, bucket_shift_;
  std::vector<std::uint64_t> filter_;  // bit per leading bits of a key, set where a query has such a key
  std::vector<std::uint32_t> starts_;  // first entry of each bucket
  std::vector<Entry> entries_;         // by key
};

// Which bands of two rows of form kGenes are equal, a bit each.
std::uint32_t equal_band_bits(const std::uint8_t* low_a, const std::uint8_t* high_a, const std::uint8_t* low_b,
                              const std::uint8_t* high_b);

}  // namespace scvet::sketch
