// What one try of a decoder gave; shared by the files of codecs.
#pragma once

#include <cstdint>
#include <string>

#include "codecs/codecs.h"

namespace scvet::io {

struct Outcome {
  enum class State { kDone, kTooSmall, kBroken };
  State state = State::kBroken;
  std::size_t size = 0;  // written (kDone), or needed where known (kTooSmall)
  std::string why = {};

  static Outcome done(std::size_t size) { return {State::kDone, size, {}}; }
  static Outcome too_small(std::size_t needed = 0) { return {State::kTooSmall, needed, {}}; }
  static Outcome broken(std::string why) { return {State::kBroken, 0, std::move(why)}; }
};

Outcome try_lz4_block(Bytes in, std::span<std::byte> out);

std::uint32_t big_endian32(const std::byte* at);
std::uint32_t little_endian32(const std::byte* at);

}  // namespace scvet::io
