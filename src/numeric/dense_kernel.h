// The inner loops of ridge, one instruction set a file (dense_kernel_<target>.cpp).
#pragma once

#include <cstdint>

#include "scvet/base/cpu.h"

namespace scvet::numeric {

// Sums run over k ascending, one element at a time; a tile has `rows` x `cols` elements. Panels hold `cols` numbers for
// each k: panel[k * cols + col].
struct DenseKernel {
  int rows, cols;  // cols is a multiple of rows
  // c[row][col] += / -= left[k * left_stride + row] * panel[k * cols + col]
  void (*add)(std::int64_t depth, const double* left, std::int64_t left_stride, const double* panel, double* c,
              std::int64_t c_stride);
  void (*subtract)(std::int64_t depth, const double* left, std::int64_t left_stride, const double* panel, double* c,
                   std::int64_t c_stride);
  // Solves for `n` panel rows: row j becomes (row j - sum over k < j of factor[k * stride + j] * row k) / factor[j][j].
  void (*solve)(std::int64_t n, const double* factor, std::int64_t factor_stride, double* panel);
};

extern const DenseKernel kDenseScalar, kDenseAvx2, kDenseAvx512;
inline const DenseKernel& dense_kernel(SimdTarget target) {
  switch (target) {
    case SimdTarget::kAvx512:
      return kDenseAvx512;
    case SimdTarget::kAvx2:
      return kDenseAvx2;
    case SimdTarget::kScalar:
      break;
  }
  return kDenseScalar;
}

}  // namespace scvet::numeric
