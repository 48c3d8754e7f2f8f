// Every decoder on any bytes: the first byte chooses the codec, the second the room for what it gives.
#include <algorithm>
#include <cstdlib>

#include "codecs/codecs.h"

namespace {

using namespace scvet::io;

constexpr Codec kCodecs[] = {Codec::kZlib,     Codec::kGzip,    Codec::kZstd, Codec::kLz4Block,
                             Codec::kLz4Sized, Codec::kLz4Hdf5, Codec::kLzf,  Codec::kBlosc};
constexpr std::size_t kMost = 1 << 20;

void require(bool kept) {
  if (!kept) std::abort();
}

// With room that is exact, so that the address sanitizer sees a byte too far.
template <typename Decode>
void try_into(std::size_t room, Decode decode) {
  std::vector<std::byte> out(room);
  out.shrink_to_fit();
  try {
    require(decode(std::span<std::byte>(out)) <= room);
  } catch (const CodecError&) {
  }
}

template <typename DecodeAll>
void try_all(DecodeAll decode_all) {
  try {
    require(decode_all().size() <= kMost);
  } catch (const CodecError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const unsigned choice = data[0];
  const std::size_t room = std::size_t{data[1]} * data[1];
  const Bytes in(reinterpret_cast<const std::byte*>(data) + 2, size - 2);
  if (choice % 16 < std::size(kCodecs)) {
    const Codec codec = kCodecs[choice % 16];
    try_into(room, [&](std::span<std::byte> out) { return decode(codec, in, out); });
    try_all([&] { return decode_all(codec, in, kMost); });
    return 0;
  }
  const std::size_t width = 1 + choice / 16;
  if (choice % 16 < 12) {
    const BitshuffleInside inside[] = {BitshuffleInside::kNothing, BitshuffleInside::kLz4, BitshuffleInside::kZstd};
    for (const BitshuffleInside kind : inside) {
      try_into(room, [&](std::span<std::byte> out) { return decode_bitshuffle(kind, width, data[1], in, out); });
      try_all([&] { return decode_all_bitshuffle(kind, width, data[1], in, kMost); });
    }
    return 0;
  }
  std::vector<std::byte> out(in.size());
  unshuffle(width, in, out);
  // Bytes are moved, none is lost.
  std::vector<std::byte> before(in.begin(), in.end());
  std::sort(before.begin(), before.end());
  std::sort(out.begin(), out.end());
  require(before == out);
  require(swapped_fletcher32(swapped_fletcher32(fletcher32(in))) == fletcher32(in));
  crc32c(in);
  return 0;
}
