// What AVX2 and half an AVX-512 register do alike as a row of 256 bits.
#pragma once

#include <immintrin.h>

#include <cstddef>

namespace scvet::sketch {
namespace {

struct Bits256 {
  using Vec = __m256i;
  static constexpr int kLanes = 256, kBytes = 32;
  static Vec load(const std::byte* from) { return _mm256_load_si256(reinterpret_cast<const Vec*>(from)); }
  static void store(std::byte* to, Vec value) { _mm256_store_si256(reinterpret_cast<Vec*>(to), value); }
  static Vec zero() { return _mm256_setzero_si256(); }
  static Vec ones() { return _mm256_set1_epi32(-1); }
  static Vec both(Vec a, Vec b) { return _mm256_and_si256(a, b); }
  static Vec either(Vec a, Vec b) { return _mm256_or_si256(a, b); }
  static Vec differ(Vec a, Vec b) { return _mm256_xor_si256(a, b); }
  static Vec invert(Vec a) { return differ(a, ones()); }
};

}  // namespace
}  // namespace scvet::sketch
