// Squared Euclidean distances between rows, a block at a time, for what needs all pairs but can store none of them.
#pragma once

#include <cstdint>
#include <span>

#include "scvet/base/aligned_buffer.h"
#include "scvet/base/matrix_view.h"

namespace scvet::numeric {

constexpr std::int64_t kDistancePanel = 8;  // rows that the kernel takes at a time
constexpr std::int64_t round_up_to_panel(std::int64_t n) {
  return (n + kDistancePanel - 1) / kDistancePanel * kDistancePanel;
}

// A block of rows in the kernel's order; belongs to one thread, and is meant to be packed again and again.
class PackedRows {
 public:
  void pack(MatrixView<const float> x, std::span<const std::int64_t> rows);
  void pack(MatrixView<const float> x, std::int64_t first, std::int64_t count);
  void pack(MatrixView<const double> x);

  std::int64_t size() const { return size_; }
  std::int64_t dimensions() const { return dimensions_; }
  const double* panel(std::int64_t first) const { return panels_.data() + first * dimensions_; }

 private:
  template <class Row>
  void fill(std::int64_t size, std::int64_t dimensions, const Row& row);
  std::int64_t size_ = 0, dimensions_ = 0;
  AlignedBuffer<double>
      panels_;  // panels_[(row / panel * dimensions + k) * panel + row % panel]; rows past the last are 0
};

// A part of packed rows; `first` is a multiple of kDistancePanel.
struct PackedRange {
  const PackedRows& rows;
  std::int64_t first, count;
};

// out(i, j) = sum over k, ascending, of (left_ik - right_jk)^2 in float64: equal rows are at exactly 0, (i, j) and (j, i)
// are the same number, and so it is on every SIMD target. Written are whole panels: `out` has room for both counts
// rounded up to kDistancePanel.
void squared_distances(const PackedRange& left, const PackedRange& right, MatrixView<double> out);

}  // namespace scvet::numeric
