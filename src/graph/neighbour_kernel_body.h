// Written once, compiled for each instruction set. Target = {kBytes, kRows, kVectors, add_product, not_below}.
#include "exact_distance_body.h"
#include "neighbour_kernel.h"
#include "scvet/base/simd_tile.h"

namespace scvet::graph {
namespace {

template <class Target>
bool tile(std::int64_t depth, const float* left, const float* panel, const TileSide& row, const TileSide& col,
          float* products, std::uint64_t* hits) {
  using V = simd::Vector<float, Target::kBytes>;
  using Lanes = typename V::Type;
  constexpr int kRows = Target::kRows, kVectors = Target::kVectors, kCols = kVectors * V::kLanes;
  Lanes sum[kRows][kVectors];
  for (int r = 0; r < kRows; ++r)
    for (int v = 0; v < kVectors; ++v) sum[r][v] = Lanes{};
  for (std::int64_t k = 0; k < depth; ++k) {
    Lanes factor[kVectors];
    for (int v = 0; v < kVectors; ++v) factor[v] = V::load(panel + v * V::kLanes);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const Lanes one = V::broadcast(left[r]);
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) sum[r][v] = Target::add_product(one, factor[v], sum[r][v]);
    }
    left += kRows;
    panel += kCols;
  }
  std::uint64_t any = 0;
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    const Lanes threshold = V::broadcast(row.threshold[r]), half = V::broadcast(row.half[r]);
    const Lanes slack = V::broadcast(row.scale[r]);
    std::uint64_t passed = 0;
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      const Lanes for_row = threshold + V::load(col.half + v * V::kLanes);
      const Lanes for_col = half + V::load(col.threshold + v * V::kLanes);
      const Lanes least = for_row < for_col ? for_row : for_col;
      const Lanes highest = Target::add_product(slack, V::load(col.scale + v * V::kLanes), sum[r][v]);
      passed |= static_cast<std::uint64_t>(Target::not_below(highest, least)) << (v * V::kLanes);
    }
    hits[r] = passed;
    any |= passed;
  }
  if (any == 0) return false;
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) V::store(products + r * kCols + v * V::kLanes, sum[r][v]);
  return true;
}

template <class Target>
constexpr NeighbourKernel make_kernel() {
  constexpr int kCols = Target::kVectors * simd::Vector<float, Target::kBytes>::kLanes;
  static_assert(48 % Target::kRows == 0 && 48 % kCols == 0);
  static_assert(Target::kRows <= NeighbourKernel::kMaxRows && kCols <= NeighbourKernel::kMaxCols);
  return {Target::kRows, kCols, tile<Target>, exact_distances<float>, exact_distances<double>};
}

}  // namespace
}  // namespace scvet::graph
