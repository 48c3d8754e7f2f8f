#include "zarr/zarr_chunk.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace scvet::io::zarr {
namespace {

// Memory of this size is taken on the word of the metadata; beyond it, as the bytes come.
constexpr std::size_t kBelieved = 64u << 20;
constexpr std::size_t kMostTextBytes = std::size_t{1} << 30;

// Undoes `codecs`. `exact` is the size of the outcome, 0 where it is not known.
std::vector<std::byte> undo(const std::vector<ByteCodec>& codecs, std::vector<std::byte> bytes, std::size_t exact,
                            std::size_t most) {
  for (std::size_t at = codecs.size(); at-- > 0;) {
    if (codecs[at].is_crc32c) {
      std::uint32_t stated = 0;
      if (bytes.size() < sizeof stated) throw CodecError("crc32c: it is cut short");
      std::memcpy(&stated, bytes.data() + bytes.size() - sizeof stated, sizeof stated);
      bytes.resize(bytes.size() - sizeof stated);
      if (crc32c(bytes) != stated) throw CodecError("crc32c: its checksum is wrong");
    } else if (at == 0 && exact > 0 && exact <= kBelieved) {
      std::vector<std::byte> out(exact);
      const std::size_t got = decode(codecs[at].codec, bytes, out);
      out.resize(got);
      bytes = std::move(out);
    } else {
      bytes = decode_all(codecs[at].codec, bytes, at == 0 && exact > 0 ? exact : most);
    }
  }
  if (exact > 0 && bytes.size() != exact)
    throw CodecError("it gives " + std::to_string(bytes.size()) + " bytes instead of " + std::to_string(exact));
  return bytes;
}

void swap_bytes(std::vector<std::byte>& bytes, std::size_t width) {
  if (width < 2) return;
  for (std::size_t at = 0; at + width <= bytes.size(); at += width)
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                 bytes.begin() + static_cast<std::ptrdiff_t>(at + width));
}

std::vector<std::byte> widen_halves(const std::vector<std::byte>& halves) {
  std::vector<std::byte> floats(2 * halves.size());
  for (std::size_t at = 0; at + 2 <= halves.size(); at += 2) {
    std::uint16_t half;
    std::memcpy(&half, halves.data() + at, sizeof half);
    const float value = half_to_float(half);
    std::memcpy(floats.data() + 2 * at, &value, sizeof value);
  }
  return floats;
}

// Calls visit(stored position, own position) for every element, in stored order.
template <typename Visit>
void each_transposed(const ArrayMetadata& array, Visit visit) {
  const std::vector<std::size_t>& axes = array.coding.axes;
  const std::size_t n_dims = axes.size();
  std::vector<std::size_t> stride(n_dims, 1), index(n_dims, 0);
  for (std::size_t dim = n_dims; dim-- > 1;) stride[dim - 1] = stride[dim] * static_cast<std::size_t>(array.chunk[dim]);
  std::size_t own = 0;
  const auto total = static_cast<std::size_t>(array.chunk_elements());
  for (std::size_t stored = 0; stored < total; ++stored) {
    visit(stored, own);
    for (std::size_t at = n_dims; at-- > 0;) {
      const auto size = static_cast<std::size_t>(array.chunk[axes[at]]);
      own += stride[axes[at]];
      if (++index[at] < size) break;
      own -= size * stride[axes[at]];
      index[at] = 0;
    }
  }
}

Chunk transposed(const ArrayMetadata& array, Chunk stored) {
  if (std::is_sorted(array.coding.axes.begin(), array.coding.axes.end())) return stored;
  Chunk own;
  own.numbers.resize(stored.numbers.size());
  own.texts.resize(stored.texts.size());
  const std::size_t width = array.width();
  each_transposed(array, [&](std::size_t from, std::size_t to) {
    if (!stored.texts.empty())
      own.texts[to] = std::move(stored.texts[from]);
    else
      std::memcpy(own.numbers.data() + to * width, stored.numbers.data() + from * width, width);
  });
  return own;
}

// The layout of numcodecs' VLenUTF8: a count, then each text's length and bytes.
std::vector<std::string> split_variable(const std::vector<std::byte>& bytes, std::size_t n_texts) {
  const auto number = [&](std::size_t at) {
    std::uint32_t value = 0;
    if (bytes.size() - at < sizeof value) throw CodecError("its texts are cut short");
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
  };
  if (bytes.size() < 4 || number(0) != n_texts)
    throw CodecError("it does not hold the " + std::to_string(n_texts) + " texts of a chunk");
  if (n_texts > bytes.size() / 4) throw CodecError("its texts are cut short");
  std::vector<std::string> texts(n_texts);
  std::size_t at = 4;
  for (std::string& text : texts) {
    const std::size_t length = number(at);
    at += 4;
    if (bytes.size() - at < length) throw CodecError("its texts are cut short");
    text.assign(reinterpret_cast<const char*>(bytes.data()) + at, length);
    at += length;
  }
  return texts;
}

void append_utf8(std::string& text, std::uint32_t code) {
  const auto put = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) code = 0xfffd;  // no character
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xc0 | code >> 6);
  } else if (code < 0x10000) {
    put(0xe0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3f));
  } else {
    put(0xf0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3f));
    put(0x80 | (code >> 6 & 0x3f));
  }
  put(0x80 | (code & 0x3f));
}

std::vector<std::string> split_fixed(const ArrayMetadata& array, std::vector<std::byte> bytes, std::size_t n_texts) {
  const std::size_t width = array.type.bytes;
  std::vector<std::string> texts(n_texts);
  if (array.text == TextCoding::kUtf32 && array.coding.big_endian) swap_bytes(bytes, 4);
  for (std::size_t at = 0; at < n_texts; ++at) {
    const std::byte* start = bytes.data() + at * width;
    if (array.text == TextCoding::kBytes) {
      texts[at].assign(reinterpret_cast<const char*>(start), width);
      texts[at].resize(texts[at].find_last_not_of('\0') + 1);
      continue;
    }
    std::vector<std::uint32_t> codes(width / 4);
    std::memcpy(codes.data(), start, 4 * codes.size());
    while (!codes.empty() && codes.back() == 0) codes.pop_back();
    for (const std::uint32_t code : codes) append_utf8(texts[at], code);
  }
  return texts;
}

}  // namespace

float half_to_float(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000u) << 16, exponent = half >> 10 & 0x1f, fraction = half & 0x3ffu;
  if (exponent == 0) {
    const float value = std::ldexp(static_cast<float>(fraction), -24);
    return sign ? -value : value;
  }
  const std::uint32_t widened = exponent == 31 ? 255 : exponent + 112;
  return std::bit_cast<float>(sign | widened << 23 | fraction << 13);
}

std::uint64_t most_stored(const ArrayMetadata& array) {
  if (array.text == TextCoding::kVariable) return kMostTextBytes;
  return 2 * static_cast<std::uint64_t>(array.chunk_elements()) * array.type.bytes + (1u << 20);
}

Chunk decode_chunk(const ArrayMetadata& array, std::vector<std::byte> bytes) {
  const auto n_elements = static_cast<std::size_t>(array.chunk_elements());
  const auto most = static_cast<std::size_t>(most_stored(array));
  Chunk chunk;
  if (array.text == TextCoding::kVariable) {
    chunk.texts = split_variable(undo(array.coding.codecs, std::move(bytes), 0, most), n_elements);
    return transposed(array, std::move(chunk));
  }
  bytes = undo(array.coding.codecs, std::move(bytes), n_elements * array.type.bytes, most);
  if (array.text != TextCoding::kNone) {
    chunk.texts = split_fixed(array, std::move(bytes), n_elements);
    return transposed(array, std::move(chunk));
  }
  if (array.coding.big_endian) swap_bytes(bytes, array.type.bytes);
  if (array.type.kind == store::ElementType::Kind::kBoolean)
    for (std::byte& flag : bytes) flag = flag == std::byte{0} ? flag : std::byte{1};
  chunk.numbers = array.type.dtype == "float16" ? widen_halves(bytes) : std::move(bytes);
  return transposed(array, std::move(chunk));
}

std::uint64_t index_bytes(const ArrayMetadata& array) {
  std::uint64_t bytes = sizeof(ShardEntry);
  for (std::size_t dim = 0; dim < array.shard.size(); ++dim)
    bytes *= static_cast<std::uint64_t>(array.shard[dim] / array.chunk[dim]);
  return bytes + 4 * array.index_coding.codecs.size();
}

std::vector<ShardEntry> decode_index(const ArrayMetadata& array, std::vector<std::byte> bytes) {
  const std::size_t exact = static_cast<std::size_t>(index_bytes(array)) - 4 * array.index_coding.codecs.size();
  bytes = undo(array.index_coding.codecs, std::move(bytes), exact, exact);
  if (array.index_coding.big_endian) swap_bytes(bytes, 8);
  std::vector<ShardEntry> entries(exact / sizeof(ShardEntry));
  std::memcpy(entries.data(), bytes.data(), exact);
  return entries;
}

}  // namespace scvet::io::zarr
