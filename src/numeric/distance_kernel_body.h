// Written once, compiled for each instruction set.
#include "distance_kernel.h"
#include "scvet/base/simd_tile.h"
#include "scvet/numeric/squared_distances.h"

namespace scvet::numeric {
namespace {

// kRows rows at a time, so that their sums stay in registers.
template <int kBytes, int kRows>
void distances(std::int64_t depth, const double* left, const double* right, double* c, std::int64_t c_stride) {
  using V = simd::Vector<double, kBytes>;
  constexpr int kPanel = static_cast<int>(kDistancePanel), kVectors = kPanel / V::kLanes;
  static_assert(kPanel % kRows == 0 && kPanel % V::kLanes == 0);
  for (int first = 0; first < kPanel; first += kRows) {
    typename V::Type sum[kRows][kVectors];
    for (int row = 0; row < kRows; ++row)
      for (int at = 0; at < kVectors; ++at) sum[row][at] = V::broadcast(0);
    const double* one = left + first;
    const double* many = right;
    for (std::int64_t k = 0; k < depth; ++k, one += kPanel, many += kPanel) {
      typename V::Type of_right[kVectors];
      for (int at = 0; at < kVectors; ++at) of_right[at] = V::load(many + at * V::kLanes);
#pragma GCC unroll 8
      for (int row = 0; row < kRows; ++row) {
        const typename V::Type of_left = V::broadcast(one[row]);
#pragma GCC unroll 4
        for (int at = 0; at < kVectors; ++at) {
          const typename V::Type difference = of_left - of_right[at];
          sum[row][at] += difference * difference;
        }
      }
    }
    for (int row = 0; row < kRows; ++row)
      for (int at = 0; at < kVectors; ++at) V::store(c + (first + row) * c_stride + at * V::kLanes, sum[row][at]);
  }
}

}  // namespace
}  // namespace scvet::numeric
