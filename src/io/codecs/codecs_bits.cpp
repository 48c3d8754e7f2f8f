// Byte and bit shuffles, and checksums.
#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "codecs/codecs.h"
#include "codecs/codecs_outcome.h"

namespace scvet::io {
namespace {

// Of a width known to the compiler, so that it can use wide registers.
template <std::size_t kWidth>
void unshuffle_fixed(const std::byte* in, std::size_t n_elements, std::byte* out) {
  for (std::size_t element = 0; element < n_elements; ++element)
    for (std::size_t byte = 0; byte < kWidth; ++byte) out[element * kWidth + byte] = in[byte * n_elements + element];
}

// Bit planes to bytes: the bit `bit` of byte `byte` of element 8 m + j is bit j of planes[(8 byte + bit) n/8 + m].
void unshuffle_bits(std::size_t width, const std::byte* in, std::size_t n_elements, std::byte* out) {
  const std::size_t plane = n_elements / 8;
  for (std::size_t byte = 0; byte < width; ++byte) {
    for (std::size_t group = 0; group < plane; ++group) {
      std::uint64_t square = 0;  // byte `bit`: plane `bit` of these eight elements
      for (std::size_t bit = 0; bit < 8; ++bit)
        square |= std::to_integer<std::uint64_t>(in[(8 * byte + bit) * plane + group]) << (8 * bit);
      // Transposes the 8 x 8 bits by swapping ever larger blocks.
      std::uint64_t swap = (square ^ (square >> 7)) & 0x00aa00aa00aa00aaull;
      square ^= swap ^ (swap << 7);
      swap = (square ^ (square >> 14)) & 0x0000cccc0000ccccull;
      square ^= swap ^ (swap << 14);
      swap = (square ^ (square >> 28)) & 0x00000000f0f0f0f0ull;
      square ^= swap ^ (swap << 28);
      for (std::size_t element = 0; element < 8; ++element)
        out[(8 * group + element) * width + byte] = static_cast<std::byte>(square >> (8 * element));
    }
  }
}

[[noreturn]] void refuse_bitshuffle(const std::string& why) { throw CodecError("bitshuffle: " + why); }

// One block, `size` bytes when decoded: inside lz4 or zstd with its length before it, else as it is.
Bytes take_block(BitshuffleInside inside, Bytes& in, std::span<std::byte> room) {
  if (inside == BitshuffleInside::kNothing) {
    if (in.size() < room.size()) refuse_bitshuffle("ends early");
    const Bytes block = in.first(room.size());
    in = in.subspan(room.size());
    return block;
  }
  if (in.size() < 4 || big_endian32(in.data()) > in.size() - 4) refuse_bitshuffle("ends early");
  const std::size_t stored = big_endian32(in.data());
  const Bytes block = in.subspan(4, stored);
  in = in.subspan(4 + stored);
  const Codec codec = inside == BitshuffleInside::kLz4 ? Codec::kLz4Block : Codec::kZstd;
  if (decode(codec, block, room) != room.size()) refuse_bitshuffle("a block is shorter than its header says");
  return room;
}

// The filter's own choice: about 8 KiB, a multiple of 8 elements, at least 128 of them.
std::size_t default_block(std::size_t width) { return std::max<std::size_t>(8192 / width / 8 * 8, 128); }

using ByteTable = std::array<std::array<std::uint32_t, 256>, 8>;
constexpr ByteTable castagnoli_tables() {
  ByteTable tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t sum = byte;
    for (int bit = 0; bit < 8; ++bit) sum = sum & 1 ? sum >> 1 ^ 0x82f63b78u : sum >> 1;
    tables[0][byte] = sum;
  }
  for (std::uint32_t byte = 0; byte < 256; ++byte)
    for (std::size_t table = 1; table < 8; ++table)
      tables[table][byte] = tables[table - 1][byte] >> 8 ^ tables[0][tables[table - 1][byte] & 255];
  return tables;
}
constexpr ByteTable kCastagnoli = castagnoli_tables();

}  // namespace

void unshuffle(std::size_t width, Bytes in, std::span<std::byte> out) {
  if (out.size() != in.size()) throw CodecError("shuffle: the two sides differ in length");
  if (in.empty()) return;
  const std::size_t n_elements = width > 0 ? in.size() / width : 0;
  std::size_t done = n_elements * width;
  if (width <= 1 || n_elements <= 1)
    done = 0;
  else if (width == 2)
    unshuffle_fixed<2>(in.data(), n_elements, out.data());
  else if (width == 4)
    unshuffle_fixed<4>(in.data(), n_elements, out.data());
  else if (width == 8)
    unshuffle_fixed<8>(in.data(), n_elements, out.data());
  else
    for (std::size_t byte = 0; byte < width; ++byte)
      for (std::size_t element = 0; element < n_elements; ++element)
        out[element * width + byte] = in[byte * n_elements + element];
  std::memcpy(out.data() + done, in.data() + done, in.size() - done);
}

std::size_t decode_bitshuffle(BitshuffleInside inside, std::size_t width, std::size_t block, Bytes in,
                              std::span<std::byte> out) {
  if (width == 0) refuse_bitshuffle("elements of 0 bytes");
  std::size_t size = in.size();
  if (inside != BitshuffleInside::kNothing) {
    if (in.size() < 12) refuse_bitshuffle("shorter than its header");
    const std::uint64_t claimed = std::uint64_t{big_endian32(in.data())} << 32 | big_endian32(in.data() + 4);
    if (claimed > out.size()) refuse_bitshuffle("its header says more bytes than expected");
    size = static_cast<std::size_t>(claimed);
    block = big_endian32(in.data() + 8) / width;
    in = in.subspan(12);
  } else if (size > out.size()) {
    refuse_bitshuffle("holds more bytes than expected");
  }
  if (block == 0) block = default_block(width);
  if (block % 8 != 0) refuse_bitshuffle("blocks of " + std::to_string(block) + " elements, not a multiple of 8");
  const std::size_t n_elements = size / width, n_whole = n_elements / 8 * 8;
  std::vector<std::byte> room(std::min(block, n_whole) * width);
  for (std::size_t first = 0; first < n_whole; first += block) {
    const std::size_t count = std::min(block, n_whole - first);
    const Bytes planes = take_block(inside, in, std::span(room).first(count * width));
    unshuffle_bits(width, planes.data(), count, out.data() + first * width);
  }
  const std::size_t rest = size - n_whole * width;
  if (in.size() < rest) refuse_bitshuffle("ends early");
  if (rest > 0) std::memcpy(out.data() + n_whole * width, in.data(), rest);
  return size;
}

std::vector<std::byte> decode_all_bitshuffle(BitshuffleInside inside, std::size_t width, std::size_t block, Bytes in,
                                             std::size_t most) {
  std::uint64_t size = in.size();
  if (inside != BitshuffleInside::kNothing) {
    if (in.size() < 12) refuse_bitshuffle("shorter than its header");
    size = std::uint64_t{big_endian32(in.data())} << 32 | big_endian32(in.data() + 4);
    const Codec codec = inside == BitshuffleInside::kLz4 ? Codec::kLz4Block : Codec::kZstd;
    if (size / most_expansion(codec) > in.size()) refuse_bitshuffle("its header says more bytes than it can hold");
  }
  if (size > most) refuse_bitshuffle("its header says more bytes than expected");
  std::vector<std::byte> out(static_cast<std::size_t>(size));
  decode_bitshuffle(inside, width, block, in, out);
  return out;
}

std::uint32_t crc32c(Bytes in) {
  std::uint32_t sum = ~0u;
  for (; in.size() >= 8; in = in.subspan(8)) {
    const std::uint32_t low = little_endian32(in.data()) ^ sum, high = little_endian32(in.data() + 4);
    sum = kCastagnoli[7][low & 255] ^ kCastagnoli[6][low >> 8 & 255] ^ kCastagnoli[5][low >> 16 & 255] ^
          kCastagnoli[4][low >> 24] ^ kCastagnoli[3][high & 255] ^ kCastagnoli[2][high >> 8 & 255] ^
          kCastagnoli[1][high >> 16 & 255] ^ kCastagnoli[0][high >> 24];
  }
  for (const std::byte byte : in) sum = sum >> 8 ^ kCastagnoli[0][(sum ^ std::to_integer<std::uint32_t>(byte)) & 255];
  return ~sum;
}

// Sums of big-endian 16-bit words; 360 of them fit before the sums must be folded.
std::uint32_t fletcher32(Bytes in) {
  std::uint32_t first = 0, second = 0;
  const auto fold = [](std::uint32_t sum) { return (sum & 0xffff) + (sum >> 16); };
  std::size_t at = 0;
  for (std::size_t words = in.size() / 2; words > 0;) {
    const std::size_t run = std::min<std::size_t>(words, 360);
    words -= run;
    for (std::size_t word = 0; word < run; ++word, at += 2) {
      first += std::to_integer<std::uint32_t>(in[at]) << 8 | std::to_integer<std::uint32_t>(in[at + 1]);
      second += first;
    }
    first = fold(first);
    second = fold(second);
  }
  if (at < in.size()) {
    first += std::to_integer<std::uint32_t>(in[at]) << 8;
    second += first;
    first = fold(first);
    second = fold(second);
  }
  return fold(second) << 16 | fold(first);
}

std::uint32_t swapped_fletcher32(std::uint32_t checksum) {
  return (checksum & 0x00ff00ffu) << 8 | (checksum >> 8 & 0x00ff00ffu);
}

}  // namespace scvet::io
