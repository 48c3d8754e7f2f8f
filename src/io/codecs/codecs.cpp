#include "codecs/codecs.h"

#include <blosc.h>
#include <libdeflate.h>
#include <lz4.h>
#include <lzf.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <memory>
#include <string>

#include "codecs/codecs_outcome.h"

namespace scvet::io {

std::uint32_t big_endian32(const std::byte* at) {
  std::uint32_t value = 0;
  for (int byte = 0; byte < 4; ++byte) value = value << 8 | std::to_integer<std::uint32_t>(at[byte]);
  return value;
}

std::uint32_t little_endian32(const std::byte* at) {
  std::uint32_t value = 0;
  for (int byte = 3; byte >= 0; --byte) value = value << 8 | std::to_integer<std::uint32_t>(at[byte]);
  return value;
}

namespace {

// Decoders that keep state are made once a thread.
libdeflate_decompressor* inflater() {
  struct Free {
    void operator()(libdeflate_decompressor* decoder) const { libdeflate_free_decompressor(decoder); }
  };
  thread_local const std::unique_ptr<libdeflate_decompressor, Free> decoder(libdeflate_alloc_decompressor());
  if (!decoder) throw std::bad_alloc();
  return decoder.get();
}

ZSTD_DCtx* zstd_context() {
  struct Free {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };
  thread_local const std::unique_ptr<ZSTD_DCtx, Free> context(ZSTD_createDCtx());
  if (!context) throw std::bad_alloc();
  return context.get();
}

Outcome inflate_outcome(libdeflate_result result, std::size_t size) {
  if (result == LIBDEFLATE_SUCCESS) return Outcome::done(size);
  if (result == LIBDEFLATE_INSUFFICIENT_SPACE) return Outcome::too_small();
  return Outcome::broken("damaged data, or a wrong checksum");
}

Outcome try_zlib(Bytes in, std::span<std::byte> out) {
  std::size_t used = 0, size = 0;
  const libdeflate_result result =
      libdeflate_zlib_decompress_ex(inflater(), in.data(), in.size(), out.data(), out.size(), &used, &size);
  return inflate_outcome(result, size);
}

Outcome try_gzip(Bytes in, std::span<std::byte> out) {
  std::size_t total = 0;
  do {
    std::size_t used = 0, size = 0;
    const libdeflate_result result = libdeflate_gzip_decompress_ex(inflater(), in.data(), in.size(), out.data() + total,
                                                                   out.size() - total, &used, &size);
    if (result != LIBDEFLATE_SUCCESS) return inflate_outcome(result, 0);
    total += size;
    in = in.subspan(used);
  } while (!in.empty());
  return Outcome::done(total);
}

Outcome try_zstd(Bytes in, std::span<std::byte> out) {
  const std::size_t size = ZSTD_decompressDCtx(zstd_context(), out.data(), out.size(), in.data(), in.size());
  if (!ZSTD_isError(size)) return Outcome::done(size);
  if (ZSTD_getErrorCode(size) == ZSTD_error_dstSize_tooSmall) return Outcome::too_small();
  return Outcome::broken(ZSTD_getErrorName(size));
}

Outcome try_lz4_sized(Bytes in, std::span<std::byte> out) {
  if (in.size() < 4) return Outcome::broken("shorter than its header");
  const std::size_t claimed = little_endian32(in.data());
  if (claimed > out.size()) return Outcome::too_small(claimed);
  const Outcome outcome = try_lz4_block(in.subspan(4), out.first(claimed));
  if (outcome.state == Outcome::State::kDone && outcome.size != claimed)
    return Outcome::broken("its header says " + std::to_string(claimed) + " bytes, it holds " +
                           std::to_string(outcome.size));
  return outcome.state == Outcome::State::kTooSmall ? Outcome::broken("holds more than its header says") : outcome;
}

// 8 bytes of size and 4 of block size, big-endian; then for each block 4 bytes of length and the block, which is
// stored as it is where it would not shrink.
Outcome try_lz4_hdf5(Bytes in, std::span<std::byte> out) {
  if (in.size() < 12) return Outcome::broken("shorter than its header");
  const std::uint64_t claimed = std::uint64_t{big_endian32(in.data())} << 32 | big_endian32(in.data() + 4);
  const std::uint64_t block = std::min<std::uint64_t>(big_endian32(in.data() + 8), claimed);
  if (claimed > out.size()) return Outcome::too_small(claimed);
  if (claimed > 0 && block == 0) return Outcome::broken("its header says blocks of 0 bytes");
  in = in.subspan(12);
  for (std::uint64_t at = 0; at < claimed; at += block) {
    const auto size = static_cast<std::size_t>(std::min(block, claimed - at));
    if (in.size() < 4) return Outcome::broken("ends early");
    const std::size_t stored = big_endian32(in.data());
    in = in.subspan(4);
    if (stored > in.size()) return Outcome::broken("ends early");
    if (stored == size) {
      std::memcpy(out.data() + at, in.data(), size);
    } else {
      const Outcome outcome = try_lz4_block(in.first(stored), out.subspan(at, size));
      if (outcome.state != Outcome::State::kDone || outcome.size != size) return Outcome::broken("a block is damaged");
    }
    in = in.subspan(stored);
  }
  return Outcome::done(static_cast<std::size_t>(claimed));
}

Outcome try_lzf(Bytes in, std::span<std::byte> out) {
  if (in.size() > UINT_MAX) return Outcome::broken("is too long");
  const std::size_t room = std::min<std::size_t>(out.size(), UINT_MAX);
  const unsigned size =
      lzf_decompress(in.data(), static_cast<unsigned>(in.size()), out.data(), static_cast<unsigned>(room));
  if (size != 0) return Outcome::done(size);
  return errno == E2BIG ? Outcome::too_small() : Outcome::broken("damaged data");
}

// Every field of the header is judged here too: the library has been wrong about hostile ones before.
Outcome try_blosc(Bytes in, std::span<std::byte> out) {
  if (in.size() < BLOSC_MIN_HEADER_LENGTH) return Outcome::broken("shorter than its header");
  const unsigned version = std::to_integer<unsigned>(in[0]), width = std::to_integer<unsigned>(in[3]);
  if (version > BLOSC_VERSION_FORMAT)
    return Outcome::broken("container of version " + std::to_string(version) + "; blosc2 is not supported");
  const std::size_t claimed = little_endian32(in.data() + 4), block = little_endian32(in.data() + 8),
                    stored = little_endian32(in.data() + 12);
  if (stored > in.size() || stored < BLOSC_MIN_HEADER_LENGTH)
    return Outcome::broken("its header says " + std::to_string(stored) + " bytes, " + std::to_string(in.size()) +
                           " are there");
  std::size_t size = 0;
  if (width == 0 || (claimed > 0 && (block == 0 || block > claimed)) || claimed > BLOSC_MAX_BUFFERSIZE ||
      blosc_cbuffer_validate(in.data(), stored, &size) != 0 || size != claimed)
    return Outcome::broken("its header is damaged");
  if (claimed > out.size()) return Outcome::too_small(claimed);
  if (claimed == 0) return Outcome::done(0);
  const int got = blosc_decompress_ctx(in.data(), out.data(), claimed, 1);
  if (got < 0 || static_cast<std::size_t>(got) != claimed) {
    const char* inside = blosc_cbuffer_complib(in.data());
    return Outcome::broken("damaged data, or a compressor inside that is missing here" +
                           (inside ? " (" + std::string(inside) + ")" : std::string()));
  }
  return Outcome::done(claimed);
}

Outcome try_decode(Codec codec, Bytes in, std::span<std::byte> out) {
  if (in.empty()) return Outcome::broken("no bytes");
  // C libraries may refuse a null output where nothing is to be written.
  std::byte nothing[1];
  if (out.data() == nullptr) out = std::span<std::byte>(nothing, 0);
  switch (codec) {
    case Codec::kZlib:
      return try_zlib(in, out);
    case Codec::kGzip:
      return try_gzip(in, out);
    case Codec::kZstd:
      return try_zstd(in, out);
    case Codec::kLz4Block:
      return try_lz4_block(in, out);
    case Codec::kLz4Sized:
      return try_lz4_sized(in, out);
    case Codec::kLz4Hdf5:
      return try_lz4_hdf5(in, out);
    case Codec::kLzf:
      return try_lzf(in, out);
    case Codec::kBlosc:
      return try_blosc(in, out);
  }
  return Outcome::broken("unknown codec");
}

// Some decoders do not write out.size() bytes on failure but say what they need; others are tried with more room.
std::size_t first_guess(Codec codec, Bytes in) {
  if (codec == Codec::kZstd) {
    const unsigned long long claimed = ZSTD_getFrameContentSize(in.data(), in.size());
    if (claimed != ZSTD_CONTENTSIZE_UNKNOWN && claimed != ZSTD_CONTENTSIZE_ERROR)
      return static_cast<std::size_t>(std::min<unsigned long long>(claimed, SIZE_MAX));
  }
  if (codec == Codec::kBlosc || codec == Codec::kLz4Sized || codec == Codec::kLz4Hdf5) return 0;
  return 4 * in.size() + 64;
}

}  // namespace

Outcome try_lz4_block(Bytes in, std::span<std::byte> out) {
  if (in.size() > INT_MAX) return Outcome::broken("is too long");
  const int room = static_cast<int>(std::min<std::size_t>(out.size(), LZ4_MAX_INPUT_SIZE));
  const int size = LZ4_decompress_safe(reinterpret_cast<const char*>(in.data()), reinterpret_cast<char*>(out.data()),
                                       static_cast<int>(in.size()), room);
  // The library does not tell damage from want of room.
  return size >= 0 ? Outcome::done(static_cast<std::size_t>(size)) : Outcome::broken("damaged data, or more than fits");
}

const char* codec_name(Codec codec) {
  switch (codec) {
    case Codec::kZlib:
      return "zlib";
    case Codec::kGzip:
      return "gzip";
    case Codec::kZstd:
      return "zstd";
    case Codec::kLzf:
      return "lzf";
    case Codec::kBlosc:
      return "blosc";
    default:
      return "lz4";
  }
}

std::size_t most_expansion(Codec codec) {
  switch (codec) {
    case Codec::kZlib:
    case Codec::kGzip:
      return 1040;
    case Codec::kLzf:
      return 90;
    case Codec::kLz4Block:
    case Codec::kLz4Sized:
    case Codec::kLz4Hdf5:
      return 256;
    default:
      return 1 << 15;
  }
}

std::size_t decode(Codec codec, Bytes in, std::span<std::byte> out) {
  const Outcome outcome = try_decode(codec, in, out);
  const std::string name = codec_name(codec);
  if (outcome.state == Outcome::State::kBroken) throw CodecError(name + ": " + outcome.why);
  if (outcome.state == Outcome::State::kTooSmall)
    throw CodecError(name + ": the block holds more than the " + std::to_string(out.size()) + " bytes expected");
  return outcome.size;
}

std::vector<std::byte> decode_all(Codec codec, Bytes in, std::size_t most) {
  const std::size_t believable = in.size() > SIZE_MAX / (1 << 16) ? SIZE_MAX : in.size() * most_expansion(codec) + 1024;
  const std::size_t limit = std::min(most, believable);
  const std::string name = codec_name(codec);
  std::vector<std::byte> out;
  for (std::size_t room = std::min(first_guess(codec, in), limit);;) {
    out.resize(room);
    const Outcome outcome = try_decode(codec, in, out);
    if (outcome.state == Outcome::State::kBroken && codec == Codec::kLz4Block && room < limit) {
      room = room > limit / 2 ? limit : 2 * room;
      continue;
    }
    if (outcome.state == Outcome::State::kBroken) throw CodecError(name + ": " + outcome.why);
    if (outcome.state == Outcome::State::kDone) {
      out.resize(outcome.size);
      return out;
    }
    if (room == limit || outcome.size > limit)
      throw CodecError(name + ": the block gives more than " + std::to_string(limit) + " bytes, or says so");
    room = outcome.size > 0 ? outcome.size : (room > limit / 2 ? limit : std::max<std::size_t>(2 * room, 64));
  }
}

}  // namespace scvet::io
