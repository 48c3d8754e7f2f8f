// A hash of a set of tokens that does not hang on their order: a sum over the tokens, finished with their number.
#pragma once

#include <cstdint>

#include "scvet/base/random.h"

namespace scvet::sketch {

class TokenHash {
 public:
  explicit TokenHash(std::uint64_t salt) : start_(mix(salt)) {}
  std::uint64_t operator()(std::uint16_t token) const {
    const std::uint64_t value = (start_ + token) * 0x9E3779B97F4A7C15ull;
    return (value ^ (value >> 32)) * 0xD1342543DE82EF95ull;
  }
  static std::uint64_t finish(std::uint64_t sum, std::uint64_t n_tokens) { return mix(sum ^ n_tokens); }

 private:
  std::uint64_t start_;
};

}  // namespace scvet::sketch
