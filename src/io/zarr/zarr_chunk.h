// One chunk of a zarr array: from stored bytes to values in memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "zarr/zarr_metadata.h"

namespace scvet::io::zarr {

// In the array's own order of axes and this machine's order of bytes.
struct Chunk {
  std::vector<std::byte> numbers;  // ArrayMetadata::width() bytes each
  std::vector<std::string> texts;
  std::size_t bytes() const { return numbers.size() + texts.size() * sizeof(std::string); }
};

// CodecError says why the bytes are no chunk of this array.
Chunk decode_chunk(const ArrayMetadata& array, std::vector<std::byte> bytes);

// Where the chunks of a shard lie in it; both numbers are kAbsent for one that was never written.
struct ShardEntry {
  std::uint64_t offset, bytes;
};
constexpr std::uint64_t kAbsent = ~std::uint64_t{0};
std::uint64_t index_bytes(const ArrayMetadata& array);
std::vector<ShardEntry> decode_index(const ArrayMetadata& array, std::vector<std::byte> bytes);

// Stored bytes that a chunk can take at most.
std::uint64_t most_stored(const ArrayMetadata& array);

float half_to_float(std::uint16_t half);

}  // namespace scvet::io::zarr
