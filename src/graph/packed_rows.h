// Rows as the neighbour kernel reads them: centred, scaled, in float32, with what bounds their rounding.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scvet/base/aligned_buffer.h"
#include "scvet/base/matrix_view.h"

namespace scvet::graph {

// z = (x - centre) * scale. The scale is a power of two, so that no |z| is above 1 and the largest is above 1/4.
struct Frame {
  std::vector<double> centre;
  double scale = 1;
};
// The centre is the median of a sample of `references`: near all but outliers, so that their errors are small. `fits` is
// false where distances leave the range of float64's normal numbers.
template <class T>
Frame frame_of(MatrixView<const T> queries, MatrixView<const T> references, bool& fits);

// Rows z, rounded to float32, in panels of `cols`: panel[k * cols + col]. Rows are filled up to a multiple of 48 with
// zeros that pass no threshold.
struct PackedRows {
  static constexpr std::int64_t kMultiple = 48;
  std::int64_t rows = 0, padded = 0, depth = 0;
  int cols = 0;
  AlignedBuffer<float> panels;
  std::vector<std::uint32_t> order;  // row of x that is packed at each place
  std::vector<double> half, norm;    // |z|^2 / 2 and |z|, in float64
  double largest_half = 0, largest_norm = 0;
  // For the kernel's test: a bit below half, a bit above norm, a bit above bound * norm (see `product_bound`).
  AlignedBuffer<float> half_below, norm_above, slack;

  const float* panel(std::int64_t row) const { return panels.data() + row * depth; }  // row: a multiple of cols
};
template <class T>
PackedRows pack_rows(MatrixView<const T> x, const Frame& frame, std::span<const std::uint32_t> order, int cols);

// Balls about the groups of 48 packed rows: two groups are at least |centre - centre| - radius - radius apart.
struct GroupBalls {
  std::int64_t depth = 0;
  std::vector<float> centres;  // groups x depth
  std::vector<double> radius;  // rounding of z included
  std::vector<double> square;  // the largest |z|^2 of the group

  std::int64_t count() const { return static_cast<std::int64_t>(radius.size()); }
  double between(std::int64_t group, const GroupBalls& others, std::int64_t other) const;  // of the centres
  // At most the squared distance of any two of their rows.
  double least_square(std::int64_t group, const GroupBalls& others, std::int64_t other) const;
};
GroupBalls group_balls(const PackedRows& packed);

// b so that |p - z_i . z_j| <= b |z_i| |z_j| + kTiny for the kernel's p, whatever the order and fusing of its `depth`
// operations, the rounding of z to float32 and of the test included. gamma_n of Higham (2002, doi:10.1137/1.9780898718027,
// lemma 3.1) with n = depth + 16, a hundredth more.
double product_bound(std::int64_t depth);
// r so that squared distances, norms and scores computed in float64 are wrong by at most r (|z_i|^2 + |z_j|^2).
double double_bound(std::int64_t depth);
constexpr double kTiny = 1e-30;  // what products below float32's normal range can lose

}  // namespace scvet::graph
