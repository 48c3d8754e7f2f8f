// An AVX2 register as a row of bits, one a query. For exact_kernel_body.h and slot_kernel_body.h.
#pragma once

#include <cstdint>

#include "bits_256.h"

namespace scvet::sketch {
namespace {

struct Avx2 : Bits256 {
  static bool all(Vec a) { return _mm256_testc_si256(a, ones()) != 0; }
  static void full_add(Vec& carry, Vec& sum, Vec a, Vec b) {
    const Vec odd = differ(a, b);
    carry = either(both(a, b), both(odd, sum));
    sum = differ(sum, odd);
  }
  static void transpose(const std::int32_t* values, int planes, std::byte (*out)[kBytes], std::byte* top) {
    for (int group = 0; group < kBytes; ++group) {
      const Vec eight = _mm256_load_si256(reinterpret_cast<const Vec*>(values + 8 * group));
      for (int plane = 0; plane <= planes; ++plane) {
        const Vec signs = _mm256_sll_epi32(eight, _mm_cvtsi32_si128(31 - plane));
        const auto bits = static_cast<std::byte>(_mm256_movemask_ps(_mm256_castsi256_ps(signs)));
        (plane < planes ? out[plane] : top)[group] = bits;
      }
    }
  }
};

}  // namespace
}  // namespace scvet::sketch
