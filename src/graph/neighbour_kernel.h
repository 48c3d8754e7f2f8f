// The inner loop of the neighbour search, one instruction set a file (neighbour_kernel_<target>.cpp).
#pragma once

#include <cstdint>

#include "scvet/base/cpu.h"
#include "scvet/base/matrix_view.h"

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
  // The distances that lists report, of the row `own` to rows `cells` of references: the root of the sum of squared
  // differences in float64, dimension ascending, each operation rounded; the same bits for every target.
  void (*exact_float)(const float* own, const float* references, std::int64_t stride, std::int64_t n_dims,
                      const std::uint32_t* cells, std::int64_t count, double* distances);
  void (*exact_double)(const double* own, const double* references, std::int64_t stride, std::int64_t n_dims,
                       const std::uint32_t* cells, std::int64_t count, double* distances);

  void exact(const float* own, MatrixView<const float> references, const std::uint32_t* cells, std::int64_t count,
             double* distances) const {
    exact_float(own, references.data, references.stride, references.cols, cells, count, distances);
  }
  void exact(const double* own, MatrixView<const double> references, const std::uint32_t* cells, std::int64_t count,
             double* distances) const {
    exact_double(own, references.data, references.stride, references.cols, cells, count, distances);
  }
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
