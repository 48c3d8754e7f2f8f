// Written once, compiled for each instruction set. Root::of is the correctly rounded square root of each lane.
#include "mlp_kernel.h"
#include "scvet/base/simd_tile.h"

namespace scvet::trial {
namespace {

template <class Tile>
void multiply(std::int64_t n_rows, std::int64_t depth, const float* in, std::int64_t in_stride, const float* panel,
              float* out, std::int64_t out_stride) {
  for (std::int64_t row = 0; row < n_rows; row += Tile::kRows) {
    Tile tile;
    tile.clear();
    tile.template accumulate<simd::Sum::kAdd>(depth, in + row * in_stride, in_stride, 1, panel, Tile::kCols);
    tile.store(out + row * out_stride, out_stride);
  }
}

// Adam, each operation in the order that the trial's contract writes.
template <class V, class Root>
SCVET_INLINE void adam_step(typename V::Type grad, const AdamStep& adam, float* value, float* moment1, float* moment2) {
  typename V::Type p = V::load(value), m = V::load(moment1), v = V::load(moment2);
  const typename V::Type g = grad + adam.decay * p;
  m = m + (g - m) * 0.1f;
  v = v * 0.999f + (0.001f * g) * g;
  p = p + (adam.step * m) / (Root::of(v) / adam.root + 1e-8f);
  V::store(value, p);
  V::store(moment1, m);
  V::store(moment2, v);
}

template <class Tile, class Root>
void learn(std::int64_t n_rows, std::int64_t n_in, const float* in, std::int64_t in_stride, const float* grad,
           std::int64_t grad_stride, const AdamStep& adam, float* weight, float* moment1, float* moment2) {
  using V = typename Tile::V;
  for (std::int64_t input = 0; input < n_in; input += Tile::kRows) {
    Tile tile;
    tile.clear();
    tile.template accumulate<simd::Sum::kAdd>(n_rows, in + input, 1, in_stride, grad, grad_stride);
    for (int row = 0; row < Tile::kRows; ++row)
      for (int at = 0; at < Tile::kCols / V::kLanes; ++at) {
        const std::int64_t offset = (input + row) * Tile::kCols + at * V::kLanes;
        adam_step<V, Root>(tile.sum[row][at], adam, weight + offset, moment1 + offset, moment2 + offset);
      }
  }
}

template <class Tile, class Root>
void step(std::int64_t n, const float* grad, const AdamStep& adam, float* value, float* moment1, float* moment2) {
  using V = typename Tile::V;
  for (std::int64_t at = 0; at < n; at += V::kLanes)
    adam_step<V, Root>(V::load(grad + at), adam, value + at, moment1 + at, moment2 + at);
}

template <class Tile, class Root>
constexpr MlpKernel make_kernel() {
  static_assert(Tile::kCols % Tile::kRows == 0);
  return {Tile::kRows, Tile::kCols, multiply<Tile>, learn<Tile, Root>, step<Tile, Root>};
}

}  // namespace
}  // namespace scvet::trial
