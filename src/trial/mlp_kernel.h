// The inner loops of the network, one instruction set a file (mlp_kernel_<target>.cpp).
#pragma once

#include <cstdint>

#include "scvet/base/cpu.h"

namespace scvet::trial {

struct AdamStep {
  float step = 0;   // minus the learning rate, corrected for the first moment
  float root = 1;   // root of the correction of the second moment
  float decay = 0;  // L2
};

// Weights lie in panels of `cols` outputs: panel[input * cols + output]. Sums run over their index ascending from +0.
struct MlpKernel {
  int rows, cols;
  // out[row * out_stride + col] = sum over k of in[row * in_stride + k] * panel[k * cols + col], for n_rows rows, a
  // multiple of `rows`.
  void (*multiply)(std::int64_t n_rows, std::int64_t depth, const float* in, std::int64_t in_stride, const float* panel,
                   float* out, std::int64_t out_stride);
  // One step of the weights of a panel: their gradients are the sums over rows of in[row * in_stride + input] *
  // grad[row * grad_stride + output]. n_in is a multiple of `rows`.
  void (*learn)(std::int64_t n_rows, std::int64_t n_in, const float* in, std::int64_t in_stride, const float* grad,
                std::int64_t grad_stride, const AdamStep& adam, float* weight, float* moment1, float* moment2);
  // One step of n numbers, a multiple of `cols`, whose gradients are known.
  void (*step)(std::int64_t n, const float* grad, const AdamStep& adam, float* value, float* moment1, float* moment2);
};

extern const MlpKernel kMlpScalar, kMlpAvx2, kMlpAvx512;
inline const MlpKernel& mlp_kernel(SimdTarget target) {
  switch (target) {
    case SimdTarget::kAvx512:
      return kMlpAvx512;
    case SimdTarget::kAvx2:
      return kMlpAvx2;
    case SimdTarget::kScalar:
      break;
  }
  return kMlpScalar;
}

}  // namespace scvet::trial
