// The filters of an HDF5 data set, undone on raw chunks outside the HDF5 library, so that threads can share the work.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "codecs/codecs.h"

namespace scvet::io {

class ChunkFilters {
 public:
  // Memory that undo() works in; one a thread.
  using Scratch = std::vector<std::byte>[2];

  // Of a creation list; nothing where a filter or an order of filters is not known here.
  static std::optional<ChunkFilters> of(hid_t creation_list);
  bool none() const { return steps_.empty(); }

  // A chunk as stored to a chunk as it is in memory, which fills `out`. Bit i of `skipped`: filter i was not applied.
  // CodecError when it is damaged or does not fill `out`.
  void undo(Bytes stored, std::uint32_t skipped, std::span<std::byte> out, Scratch& scratch) const;

  // False: so few stored bytes hardly fill a chunk of `chunk_bytes`, and memory should not be taken on their word.
  bool believable(std::size_t stored, std::size_t chunk_bytes) const;

 private:
  struct Step {
    H5Z_filter_t filter;
    std::uint32_t bit;                 // in the mask of skipped filters
    std::size_t width = 0, block = 0;  // shuffle, bitshuffle: of an element; of a block
    std::uint32_t inside = 0;          // bitshuffle: 0, 2 (lz4) or 3 (zstd)
  };
  static std::size_t undo_one(const Step& step, Bytes in, std::span<std::byte> out);
  std::vector<Step> steps_;  // in the order of writing
};

}  // namespace scvet::io
