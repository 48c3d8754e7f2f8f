#include "dense_products.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "scvet/base/aligned_buffer.h"
#include "scvet/base/parallel.h"

namespace scvet::numeric {
namespace {

constexpr std::int64_t kDepth = 128;  // two panels and the tile of sums stay in the second-level cache

struct Scratch {
  AlignedBuffer<double> left{kProductTile * kDepth}, right{kProductTile * kDepth}, sums{kProductTile * kProductTile};
};

void add_panels(const DenseKernel& kernel, std::int64_t n_k, const double* left, const double* right, double* sums) {
  for (std::int64_t col = 0; col < kProductTile; col += kernel.cols)
    for (std::int64_t row = 0; row < kProductTile; row += kernel.rows)
      kernel.add(n_k, left + row / kernel.cols * n_k * kernel.cols + row % kernel.cols, kernel.cols,
                 right + col / kernel.cols * n_k * kernel.cols, sums + row * kProductTile + col, kProductTile);
}

}  // namespace

void symmetric_products(const FillPanel& fill, std::int64_t n_left, std::int64_t n_right, std::int64_t depth,
                        MatrixView<double> out, const DenseKernel& kernel) {
  std::vector<std::pair<std::int64_t, std::int64_t>> tiles;
  for (std::int64_t left = 0; left < n_left; left += kProductTile)
    for (std::int64_t right = left; right < n_right; right += kProductTile) tiles.emplace_back(left, right);
  std::vector<Scratch> scratch(static_cast<std::size_t>(std::min<std::int64_t>(workers(), std::ssize(tiles))));
  parallel_for(std::ssize(tiles), [&](std::int64_t task, int worker) {
    Scratch& own = scratch[static_cast<std::size_t>(worker)];
    const auto [left, right] = tiles[static_cast<std::size_t>(task)];
    std::fill_n(own.sums.data(), kProductTile * kProductTile, 0.0);
    for (std::int64_t k = 0; k < depth; k += kDepth) {
      const std::int64_t n_k = std::min(kDepth, depth - k);
      fill({left, k, n_k, kernel.cols, own.left.data()});
      if (right != left) fill({right, k, n_k, kernel.cols, own.right.data()});
      add_panels(kernel, n_k, own.left.data(), right == left ? own.left.data() : own.right.data(), own.sums.data());
    }
    const std::int64_t n_cols = std::min(kProductTile, n_right - right);
    for (std::int64_t row = 0; row < std::min(kProductTile, n_left - left); ++row)
      std::copy_n(own.sums.data() + row * kProductTile, n_cols, out.row(left + row) + right);
  });
}

}  // namespace scvet::numeric
