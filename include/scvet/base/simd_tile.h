// Short vectors and the register tile of a matrix product, for kernels that are compiled once per instruction set
// (*_scalar.cpp, *_avx2.cpp, *_avx512.cpp). Every element of a tile is its own sum: one multiplication, then one addition
// or subtraction, in ascending index, never fused (-ffp-contract=off). So the width of the vectors cannot change a bit.
//
// Everything here is inlined: a copy compiled for a newer processor must not be the one that the linker keeps.
#pragma once

#include <cstdint>

#define SCVET_INLINE inline __attribute__((always_inline))

namespace scvet::simd {

template <class T, int kBytes>
struct Vector {
  static constexpr int kLanes = kBytes / static_cast<int>(sizeof(T));
  typedef T Type __attribute__((vector_size(kBytes)));
  typedef T Unaligned __attribute__((vector_size(kBytes), aligned(sizeof(T)), may_alias));

  static SCVET_INLINE Type load(const T* from) { return *reinterpret_cast<const Unaligned*>(from); }
  static SCVET_INLINE void store(T* to, Type value) { *reinterpret_cast<Unaligned*>(to) = value; }
  static SCVET_INLINE Type broadcast(T value) { return value - Type{}; }  // minus +0 keeps every value, -0 too
};

enum class Sum { kAdd, kSubtract };

// A tile of kRows x (kVectors * lanes) elements. Shape = {Number, kBytes, kRows, kVectors}.
template <class T, int kBytes, int kTileRows, int kVectors>
struct Tile {
  using V = Vector<T, kBytes>;
  static constexpr int kRows = kTileRows, kCols = kVectors * V::kLanes;
  typename V::Type sum[kRows][kVectors];

  SCVET_INLINE void clear() {
    for (int row = 0; row < kRows; ++row)
      for (int at = 0; at < kVectors; ++at) sum[row][at] = V::broadcast(0);
  }
  SCVET_INLINE void load(const T* from, std::int64_t stride) {
    for (int row = 0; row < kRows; ++row)
      for (int at = 0; at < kVectors; ++at) sum[row][at] = V::load(from + row * stride + at * V::kLanes);
  }
  SCVET_INLINE void store(T* to, std::int64_t stride) const {
    for (int row = 0; row < kRows; ++row)
      for (int at = 0; at < kVectors; ++at) V::store(to + row * stride + at * V::kLanes, sum[row][at]);
  }
  // sum[row][col] += or -= left[row * left_row + k * left_k] * right[k * right_k + col] for k ascending.
  template <Sum kSum>
  SCVET_INLINE void accumulate(std::int64_t depth, const T* left, std::int64_t left_row, std::int64_t left_k,
                               const T* right, std::int64_t right_k) {
    for (std::int64_t k = 0; k < depth; ++k) {
      typename V::Type factor[kVectors];
      for (int at = 0; at < kVectors; ++at) factor[at] = V::load(right + at * V::kLanes);
#pragma GCC unroll 16
      for (int row = 0; row < kRows; ++row) {
        const typename V::Type one = V::broadcast(left[row * left_row]);
#pragma GCC unroll 4
        for (int at = 0; at < kVectors; ++at) {
          if constexpr (kSum == Sum::kAdd)
            sum[row][at] += one * factor[at];
          else
            sum[row][at] -= one * factor[at];
        }
      }
      left += left_k;
      right += right_k;
    }
  }
};

}  // namespace scvet::simd
