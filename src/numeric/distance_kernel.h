// The inner loop of squared distances, one instruction set a file (distance_kernel_<target>.cpp).
#pragma once

#include <cstdint>

#include "scvet/base/cpu.h"

namespace scvet::numeric {

// c[row][col] = sum over k ascending of (left[k * panel + row] - right[k * panel + col])^2 for the 8 rows and 8 columns
// of two panels.
using DistanceKernel = void (*)(std::int64_t depth, const double* left, const double* right, double* c,
                                std::int64_t c_stride);

extern const DistanceKernel kDistanceScalar, kDistanceAvx2, kDistanceAvx512;
inline DistanceKernel distance_kernel(SimdTarget target) {
  switch (target) {
    case SimdTarget::kAvx512:
      return kDistanceAvx512;
    case SimdTarget::kAvx2:
      return kDistanceAvx2;
    case SimdTarget::kScalar:
      break;
  }
  return kDistanceScalar;
}

}  // namespace scvet::numeric
