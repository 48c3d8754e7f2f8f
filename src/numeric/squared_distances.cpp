#include "scvet/numeric/squared_distances.h"

#include <algorithm>

#include "distance_kernel.h"

namespace scvet::numeric {

template <class Row>
void PackedRows::fill(std::int64_t size, std::int64_t dimensions, const Row& row) {
  size_ = size;
  dimensions_ = dimensions;
  panels_.resize(round_up_to_panel(size) * dimensions);
  for (std::int64_t first = 0; first < size; first += kDistancePanel) {
    double* const panel = panels_.data() + first * dimensions;
    const std::int64_t n_rows = std::min(kDistancePanel, size - first);
    for (std::int64_t at = 0; at < n_rows; ++at) {
      const auto* const from = row(first + at);
      for (std::int64_t k = 0; k < dimensions; ++k) panel[k * kDistancePanel + at] = static_cast<double>(from[k]);
    }
    for (std::int64_t at = n_rows; at < kDistancePanel; ++at)
      for (std::int64_t k = 0; k < dimensions; ++k) panel[k * kDistancePanel + at] = 0;
  }
}

void PackedRows::pack(MatrixView<const float> x, std::span<const std::int64_t> rows) {
  fill(std::ssize(rows), x.cols, [&](std::int64_t at) { return x.row(rows[static_cast<std::size_t>(at)]); });
}

void PackedRows::pack(MatrixView<const float> x, std::int64_t first, std::int64_t count) {
  fill(count, x.cols, [&](std::int64_t at) { return x.row(first + at); });
}

void PackedRows::pack(MatrixView<const double> x) {
  fill(x.rows, x.cols, [&](std::int64_t at) { return x.row(at); });
}

void squared_distances(const PackedRange& left, const PackedRange& right, MatrixView<double> out) {
  static const DistanceKernel kernel = distance_kernel(simd_target());
  const std::int64_t depth = left.rows.dimensions();
  for (std::int64_t j = 0; j < right.count; j += kDistancePanel)
    for (std::int64_t i = 0; i < left.count; i += kDistancePanel)
      kernel(depth, left.rows.panel(left.first + i), right.rows.panel(right.first + j), out.row(i) + j, out.stride);
}

}  // namespace scvet::numeric
