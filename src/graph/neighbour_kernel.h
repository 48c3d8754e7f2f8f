// The inner loop of the neighbour search, one instruction set a file (neighbour_kernel_<target>.cpp).
#pragma once

#include <cstdint>

#include "scvet/base/cpu.h"

namespace scvet::graph {

// What decides which products of a tile are worth a second look: product(row, col) + row.slack * col.norm >= the smaller
// of row.threshold + col.half and col.threshold + row.half.
struct TileSide {
  const float *threshold, *half;
  const float* scale;  // slack for rows, norm for columns
};

struct NeighbourKernel {
  static constexpr int kMaxRows = 8, kMaxCols = 48;
  int rows, cols;  // both divide 48
  // Products of `rows` rows, left[k * rows + row], with `cols` columns, panel[k * cols + col], summed in float32 over k
  // ascending, fused or not. Returns whether any passes; then products[row * cols + col] holds them and hits[row] has a
  // bit a column that passes.
  bool (*tile)(std::int64_t depth, const float* left, const float* panel, const TileSide& row, const TileSide& col,
               float* products, std::uint64_t* hits);
};

extern const NeighbourKernel kNeighbourScalar, kNeighbourAvx2, kNeighbourAvx512;
inline const NeighbourKernel& neighbour_kernel(SimdTarget target) {
  switch (target) {
    case SimdTarget::kAvx512:
      return kNeighbourAvx512;
    case SimdTarget::kAvx2:
      return kNeighbourAvx2;
    case SimdTarget::kScalar:
      break;
  }
  return kNeighbourScalar;
}

}  // namespace scvet::graph
