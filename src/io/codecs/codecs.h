// Decoders of compressed blocks, on memory that the caller gives: what HDF5's filters and zarr's codecs are made of.
// Any bytes may be handed in: a decoder writes inside its output or throws CodecError, and takes no memory for what a
// header only claims. All may be called from several threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

namespace scvet::io {

using Bytes = std::span<const std::byte>;

// Why a block cannot be decoded, "lzf: ..."; the caller knows the file and the object and wraps it.
struct CodecError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class Codec {
  kZlib,      // HDF5's deflate, numcodecs' zlib
  kGzip,      // one member or several
  kZstd,      // frames, with or without a stated size
  kLz4Block,  // bare: its size must be known
  kLz4Sized,  // numcodecs: 4 bytes of size, then a block
  kLz4Hdf5,   // HDF5 filter 32004: a list of blocks
  kLzf,
  kBlosc,  // version 1 containers, whatever is inside
};
const char* codec_name(Codec codec);

// Decodes all of `in` into the front of `out` and returns how many bytes that gave. CodecError when it does not fit.
std::size_t decode(Codec codec, Bytes in, std::span<std::byte> out);

// The same where the size is not known beforehand. CodecError when it is more than `most`.
std::vector<std::byte> decode_all(Codec codec, Bytes in, std::size_t most);

// How many bytes one byte of input can stand for at most.
std::size_t most_expansion(Codec codec);

// Undoes HDF5's shuffle (numcodecs' too): `in` holds first bytes, second bytes, ... of elements of `width` bytes; what
// is left over at its end is copied. `out` is as long as `in` and does not overlap it.
void unshuffle(std::size_t width, Bytes in, std::span<std::byte> out);

// Undoes HDF5 filter 32008 (bitshuffle): bit planes in blocks of `block` elements, 0 for the filter's own choice.
enum class BitshuffleInside { kNothing, kLz4, kZstd };
std::size_t decode_bitshuffle(BitshuffleInside inside, std::size_t width, std::size_t block, Bytes in,
                              std::span<std::byte> out);
std::vector<std::byte> decode_all_bitshuffle(BitshuffleInside inside, std::size_t width, std::size_t block, Bytes in,
                                             std::size_t most);

std::uint32_t crc32c(Bytes in);
// As HDF5 computes it; its files may hold the two halves with their bytes swapped: swapped_fletcher32.
std::uint32_t fletcher32(Bytes in);
std::uint32_t swapped_fletcher32(std::uint32_t checksum);

}  // namespace scvet::io
