// Symmetric products: out[left][right] = sum over k of f(k, left) * f(k, right), k ascending from +0.
#pragma once

#include <cstdint>
#include <functional>

#include "dense_kernel.h"
#include "scvet/base/matrix_view.h"

namespace scvet::numeric {

constexpr std::int64_t kProductTile = 192;  // outputs on a side of a tile; a multiple of every kernel's columns

// Writes f(k, output) for outputs first_output .. + kProductTile, k first_k .. + n_k, into
// panel[(output / cols * n_k + k) * cols + output % cols] (counted from the first). Outputs past the last are 0.
struct PanelRequest {
  std::int64_t first_output, first_k, n_k;
  int cols;
  double* panel;
};
using FillPanel = std::function<void(const PanelRequest&)>;

// Computes left < n_left, right < n_right for the tiles on and above the diagonal (n_left <= n_right); what lies in
// tiles below it is not written. Tiles are shared among the workers.
void symmetric_products(const FillPanel& fill, std::int64_t n_left, std::int64_t n_right, std::int64_t depth,
                        MatrixView<double> out, const DenseKernel& kernel);

}  // namespace scvet::numeric
