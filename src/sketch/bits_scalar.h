// A plain word as a row of bits, one a query. For exact_kernel_body.h and slot_kernel_body.h.
#pragma once

#include <cstddef>
#include <cstdint>

namespace scvet::sketch {
namespace {

struct Word {
  using Vec = std::uint64_t;
  static constexpr int kLanes = 64, kBytes = 8;
  static Vec load(const std::byte* from) {
    Vec value;
    __builtin_memcpy(&value, from, kBytes);
    return value;
  }
  static void store(std::byte* to, Vec value) { __builtin_memcpy(to, &value, kBytes); }
  static Vec zero() { return 0; }
  static Vec ones() { return ~Vec{0}; }
  static Vec both(Vec a, Vec b) { return a & b; }
  static Vec either(Vec a, Vec b) { return a | b; }
  static Vec differ(Vec a, Vec b) { return a ^ b; }
  static Vec invert(Vec a) { return ~a; }
  static bool all(Vec a) { return a == ~Vec{0}; }
  static void full_add(Vec& carry, Vec& sum, Vec a, Vec b) {
    const Vec odd = a ^ b;
    carry = (a & b) | (odd & sum);
    sum ^= odd;
  }
  static void transpose(const std::int32_t* values, int planes, std::byte (*out)[kBytes], std::byte* top) {
    for (int plane = 0; plane <= planes; ++plane) {
      Vec bits = 0;
      for (int lane = 0; lane < kLanes; ++lane) bits |= static_cast<Vec>((values[lane] >> plane) & 1) << lane;
      store(plane < planes ? out[plane] : top, bits);
    }
  }
};

}  // namespace
}  // namespace scvet::sketch
