// Written once, compiled for each instruction set.
#include "dense_kernel.h"
#include "scvet/base/simd_tile.h"

namespace scvet::numeric {
namespace {

template <class Tile, simd::Sum kSum>
void products(std::int64_t depth, const double* left, std::int64_t left_stride, const double* panel, double* c,
              std::int64_t c_stride) {
  Tile tile;
  tile.load(c, c_stride);
  tile.template accumulate<kSum>(depth, left, 1, left_stride, panel, Tile::kCols);
  tile.store(c, c_stride);
}

template <class Tile>
void solve(std::int64_t n, const double* factor, std::int64_t factor_stride, double* panel) {
  using V = typename Tile::V;
  constexpr int kVectors = Tile::kCols / V::kLanes;
  for (std::int64_t j = 0; j < n; ++j) {
    double* const row = panel + j * Tile::kCols;
    typename V::Type sum[kVectors];
    for (int at = 0; at < kVectors; ++at) sum[at] = V::load(row + at * V::kLanes);
    for (std::int64_t k = 0; k < j; ++k) {
      const typename V::Type one = V::broadcast(factor[k * factor_stride + j]);
      for (int at = 0; at < kVectors; ++at) sum[at] -= one * V::load(panel + k * Tile::kCols + at * V::kLanes);
    }
    const typename V::Type diagonal = V::broadcast(factor[j * factor_stride + j]);
    for (int at = 0; at < kVectors; ++at) V::store(row + at * V::kLanes, sum[at] / diagonal);
  }
}

template <class Tile>
constexpr DenseKernel make_kernel() {
  static_assert(Tile::kCols % Tile::kRows == 0);
  return {Tile::kRows, Tile::kCols, products<Tile, simd::Sum::kAdd>, products<Tile, simd::Sum::kSubtract>, solve<Tile>};
}

}  // namespace
}  // namespace scvet::numeric
