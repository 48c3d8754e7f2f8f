#include "cholesky.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "scvet/base/parallel.h"

namespace scvet::numeric {
namespace {

constexpr std::int64_t kPanelRows = 192;  // a multiple of every kernel's columns
constexpr std::int64_t kTile = 192;       // of what remains below and right of a panel
constexpr std::int64_t kDiagonalStride = kPanelRows + 8;

constexpr std::int64_t kWorthThreads = 50'000'000;  // operations: about a millisecond; waking threads costs some of it

// Tasks that all together are too small to share run here.
template <class Body>
void share(std::int64_t n_tasks, std::int64_t operations, const Body& body) {
  if (operations >= kWorthThreads) return parallel_for(n_tasks, [&](std::int64_t task, int) { body(task); });
  for (std::int64_t task = 0; task < n_tasks; ++task) body(task);
}

}  // namespace

// kPanelRows rows of the factor, being made: its square on the diagonal, and all its columns in blocks of kernel.cols,
// block[k * cols + col], as the kernel reads them.
struct Cholesky::Panel {
  std::int64_t first = 0, n_rows = 0;
  AlignedBuffer<double> diagonal{kPanelRows * kDiagonalStride};
  AlignedBuffer<double> blocks;

  double* block(std::int64_t column) { return blocks.data() + (column - first) * kPanelRows; }
  const double* block(std::int64_t column) const { return blocks.data() + (column - first) * kPanelRows; }
};

Cholesky::Cholesky(std::int64_t n, const DenseKernel& kernel)
    : n_(n),
      padded_((n + kernel.cols - 1) / kernel.cols * kernel.cols),
      // An odd number of cache lines: the rows of a tile then lie in different sets of the cache.
      stride_((padded_ + 7) / 8 % 2 == 1 ? (padded_ + 7) / 8 * 8 : (padded_ + 7) / 8 * 8 + 8),
      kernel_(kernel),
      upper_(padded_ * stride_) {}

// The first n_rows rows of the panel at kernel.cols columns: what the rows above contribute, a block of rows at a time,
// then the small triangle.
void Cholesky::solve_columns(Panel& panel, std::int64_t n_rows, std::int64_t column) const {
  const int cols = kernel_.cols;
  double* const block = panel.block(column);
  for (std::int64_t row = 0; row < panel.n_rows; ++row)
    std::copy_n(this->row(panel.first + row) + column, cols, block + row * cols);
  for (std::int64_t row = 0; row < n_rows; row += cols) {
    for (std::int64_t part = row; part < row + cols; part += kernel_.rows)
      kernel_.subtract(row, panel.diagonal.data() + part, kDiagonalStride, block, block + part * cols, cols);
    kernel_.solve(cols, panel.diagonal.data() + row * kDiagonalStride + row, kDiagonalStride, block + row * cols);
  }
}

bool Cholesky::factorise_diagonal(Panel& panel) {
  const int cols = kernel_.cols;
  double* const diagonal = panel.diagonal.data();
  for (std::int64_t at = 0; at < panel.n_rows; at += cols) {
    solve_columns(panel, at, panel.first + at);
    double* const block = panel.block(panel.first + at);
    for (std::int64_t part = at; part < at + cols; part += kernel_.rows)
      kernel_.subtract(at, block + (part - at), cols, block, block + part * cols, cols);
    for (std::int64_t j = at; j < at + cols; ++j) {
      double* const row = block + j * cols;
      for (std::int64_t k = at; k < j; ++k)
        for (std::int64_t col = j - at; col < cols; ++col)
          row[col] -= block[k * cols + (j - at)] * block[k * cols + col];
      if (!(row[j - at] > 0) || !std::isfinite(row[j - at])) return false;
      row[j - at] = std::sqrt(row[j - at]);
      for (std::int64_t col = j - at + 1; col < cols; ++col) row[col] /= row[j - at];
    }
    for (std::int64_t row = 0; row < at + cols; ++row) {
      std::copy_n(block + row * cols, cols, diagonal + row * kDiagonalStride + at);
      std::copy_n(block + row * cols, cols, this->row(panel.first + row) + panel.first + at);
    }
  }
  return true;
}

void Cholesky::update_rest(const Panel& panel) {
  const std::int64_t first = panel.first + panel.n_rows;
  std::vector<std::pair<std::int64_t, std::int64_t>> tiles;
  for (std::int64_t row = first; row < padded_; row += kTile)
    for (std::int64_t column = row; column < padded_; column += kTile) tiles.emplace_back(row, column);
  share(std::ssize(tiles), std::ssize(tiles) * kTile * kTile * panel.n_rows * 2, [&](std::int64_t task) {
    const auto [top, left] = tiles[static_cast<std::size_t>(task)];
    const int cols = kernel_.cols;
    for (std::int64_t column = left; column < std::min(left + kTile, padded_); column += cols)
      for (std::int64_t row = top; row < std::min(top + kTile, padded_) && row < column + cols; row += kernel_.rows)
        kernel_.subtract(panel.n_rows, panel.block(row / cols * cols) + row % cols, cols, panel.block(column),
                         this->row(row) + column, stride_);
  });
}

bool Cholesky::factorise() {
  for (std::int64_t row = n_; row < padded_; ++row) {  // an identity that touches nothing
    std::fill_n(this->row(row), padded_, 0.0);
    this->row(row)[row] = 1;
  }
  for (std::int64_t row = 0; row < n_; ++row) std::fill(this->row(row) + n_, this->row(row) + padded_, 0.0);
  Panel panel;
  panel.blocks.resize(padded_ * kPanelRows);
  for (panel.first = 0; panel.first < padded_; panel.first += panel.n_rows) {
    panel.n_rows = std::min(kPanelRows, padded_ - panel.first);
    if (!factorise_diagonal(panel)) return false;
    const std::int64_t right = panel.first + panel.n_rows, n_tiles = (padded_ - right + kTile - 1) / kTile;
    share(n_tiles, n_tiles * kTile * panel.n_rows * panel.n_rows, [&](std::int64_t tile) {
      const std::int64_t left = right + tile * kTile;
      for (std::int64_t column = left; column < std::min(left + kTile, padded_); column += kernel_.cols) {
        solve_columns(panel, panel.n_rows, column);
        for (std::int64_t row = 0; row < panel.n_rows; ++row)
          std::copy_n(panel.block(column) + row * kernel_.cols, kernel_.cols, this->row(panel.first + row) + column);
      }
    });
    update_rest(panel);
  }
  return true;
}

void Cholesky::solve(std::span<double> b) const {
  for (std::int64_t k = 0; k < n_; ++k) {
    const double* const factor = row(k);
    const double known = b[static_cast<std::size_t>(k)] /= factor[k];
    for (std::int64_t later = k + 1; later < n_; ++later) b[static_cast<std::size_t>(later)] -= factor[later] * known;
  }
  for (std::int64_t at = n_ - 1; at >= 0; --at) {
    const double* const factor = row(at);
    double value = b[static_cast<std::size_t>(at)];
    for (std::int64_t k = at + 1; k < n_; ++k) value -= factor[k] * b[static_cast<std::size_t>(k)];
    b[static_cast<std::size_t>(at)] = value / factor[at];
  }
}

}  // namespace scvet::numeric
