// Exact distances, compiled for each instruction set: sixteen rows at a time, four numbers of each turned into columns, so
// that every row has its own sum, dimension ascending, and none waits for another's.
#include <algorithm>
#include <cmath>

#include "neighbour_kernel.h"
#include "scvet/base/simd_tile.h"

namespace scvet::graph {
namespace {

typedef double FourDoubles __attribute__((vector_size(32)));

template <class T>
SCVET_INLINE void add_four_rows(const T* const* others, const T* own, std::int64_t col, FourDoubles& sum) {
  typedef T Row __attribute__((vector_size(4 * sizeof(T))));
  typedef T Unaligned __attribute__((vector_size(4 * sizeof(T)), aligned(sizeof(T)), may_alias));
  const Row a = *reinterpret_cast<const Unaligned*>(others[0] + col);
  const Row b = *reinterpret_cast<const Unaligned*>(others[1] + col);
  const Row c = *reinterpret_cast<const Unaligned*>(others[2] + col);
  const Row d = *reinterpret_cast<const Unaligned*>(others[3] + col);
  const Row ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5), ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Row cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5), cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  const Row columns[4] = {
      __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5), __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7),
      __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5), __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7)};
#pragma GCC unroll 4
  for (int k = 0; k < 4; ++k) {
    const FourDoubles difference = static_cast<double>(own[col + k]) - __builtin_convertvector(columns[k], FourDoubles);
    sum += difference * difference;
  }
}

template <class T>
void exact_distances(const T* own, const T* references, std::int64_t stride, std::int64_t n_dims,
                     const std::uint32_t* cells, std::int64_t count, double* distances) {
  constexpr int kTogether = 16, kGroups = kTogether / 4;
  for (std::int64_t first = 0; first < count; first += kTogether) {
    const T* others[kTogether];
    for (int at = 0; at < kTogether; ++at) others[at] = references + cells[std::min(first + at, count - 1)] * stride;
    FourDoubles sums[kGroups] = {};
    const std::int64_t whole = n_dims / 4 * 4;
    for (std::int64_t col = 0; col < whole; col += 4) {
#pragma GCC unroll 4
      for (int group = 0; group < kGroups; ++group) add_four_rows(others + 4 * group, own, col, sums[group]);
    }
    for (int at = 0; at < kTogether && first + at < count; ++at) {
      double sum = sums[at / 4][at % 4];
      for (std::int64_t col = whole; col < n_dims; ++col) {
        const double difference = static_cast<double>(own[col]) - static_cast<double>(others[at][col]);
        sum += difference * difference;
      }
      distances[first + at] = std::sqrt(sum);
    }
  }
}

}  // namespace
}  // namespace scvet::graph
