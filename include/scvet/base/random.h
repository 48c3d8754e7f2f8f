// Counter-based random numbers and integer folds: the same values on every platform and thread count.
// mix is SplitMix64's output function (Steele, Lea, Flood 2014, doi:10.1145/2660193.2660195).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace scvet {

constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15ull;
constexpr std::uint64_t kStreamStep = 0xD1342543DE82EF95ull;

constexpr std::uint64_t mix(std::uint64_t x) {
  std::uint64_t z = x + kGolden;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

// Seed of draw b (from 1) under `seed`.
constexpr std::uint64_t stream_key(std::uint64_t seed, std::uint64_t b) { return mix(seed ^ (b * kStreamStep)); }

class Stream {
 public:
  constexpr explicit Stream(std::uint64_t state) : state_(state) {}
  constexpr std::uint64_t next() {
    const std::uint64_t value = mix(state_);
    state_ += kGolden;
    return value;
  }
  // Uniform in [0, n): high 64 bits of next() * n.
  constexpr std::uint64_t below(std::uint64_t n) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(next()) * n) >> 64);
  }
  // Uniform in [0, 1) on a grid of 2^-53.
  constexpr double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

 private:
  std::uint64_t state_;
};

// Fold of n integers under a tag: h = mix(tag ^ n), then h = mix(h ^ x) for each.
class Fold {
 public:
  constexpr Fold(std::uint64_t tag, std::uint64_t n) : hash_(mix(tag ^ n)) {}
  constexpr void add(std::uint64_t x) { hash_ = mix(hash_ ^ x); }
  constexpr std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_;
};

// FNV-1a of the bytes (Fowler, Noll, Vo; draft-eastlake-fnv): a stream's draw number from a cell's name.
constexpr std::uint64_t fnv1a_64(std::string_view text) {
  std::uint64_t hash = 0xCBF29CE484222325ull;
  for (const char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001B3ull;
  return hash;
}

constexpr std::uint64_t kTagSet = 0x5E7, kTagCounts = 0xC047, kTagOrder = 0x0DE2;

}  // namespace scvet
