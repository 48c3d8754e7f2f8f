// An AVX-512 register, and half of one, as a row of bits, one a query. For exact_kernel_body.h and slot_kernel_body.h.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "bits_256.h"

namespace scvet::sketch {
namespace {

constexpr int kSum = 0x96, kMajority = 0xE8;  // truth tables of a full adder for vpternlog

struct Avx512 {
  using Vec = __m512i;
  static constexpr int kLanes = 512, kBytes = 64;
  static Vec load(const std::byte* from) { return _mm512_load_si512(from); }
  static void store(std::byte* to, Vec value) { _mm512_store_si512(to, value); }
  static Vec zero() { return _mm512_setzero_si512(); }
  static Vec ones() { return _mm512_set1_epi32(-1); }
  static Vec both(Vec a, Vec b) { return _mm512_and_si512(a, b); }
  static Vec either(Vec a, Vec b) { return _mm512_or_si512(a, b); }
  static Vec differ(Vec a, Vec b) { return _mm512_xor_si512(a, b); }
  static Vec invert(Vec a) { return differ(a, ones()); }
  static bool all(Vec a) { return _mm512_cmpneq_epi32_mask(a, ones()) == 0; }
  static void full_add(Vec& carry, Vec& sum, Vec a, Vec b) {
    carry = _mm512_ternarylogic_epi32(sum, a, b, kMajority);
    sum = _mm512_ternarylogic_epi32(sum, a, b, kSum);
  }
  static void transpose(const std::int32_t* values, int planes, std::byte (*out)[kBytes], std::byte* top) {
    for (int group = 0; group < kLanes / 16; ++group) {
      const Vec sixteen = _mm512_load_si512(values + 16 * group);
      for (int plane = 0; plane <= planes; ++plane) {
        const std::uint16_t bits = _mm512_test_epi32_mask(sixteen, _mm512_set1_epi32(1 << plane));
        __builtin_memcpy((plane < planes ? out[plane] : top) + 2 * group, &bits, 2);
      }
    }
  }
};

// Half a register, for the last block of queries.
struct Avx512Half : Bits256 {
  static bool all(Vec a) { return _mm256_cmpneq_epi32_mask(a, ones()) == 0; }
  static void full_add(Vec& carry, Vec& sum, Vec a, Vec b) {
    carry = _mm256_ternarylogic_epi32(sum, a, b, kMajority);
    sum = _mm256_ternarylogic_epi32(sum, a, b, kSum);
  }
  static void transpose(const std::int32_t* values, int planes, std::byte (*out)[kBytes], std::byte* top) {
    for (int group = 0; group < kBytes; ++group) {
      const Vec eight = _mm256_load_si256(reinterpret_cast<const Vec*>(values + 8 * group));
      for (int plane = 0; plane <= planes; ++plane)
        (plane < planes ? out[plane] : top)[group] =
            static_cast<std::byte>(_mm256_test_epi32_mask(eight, _mm256_set1_epi32(1 << plane)));
    }
  }
};

}  // namespace
}  // namespace scvet::sketch
