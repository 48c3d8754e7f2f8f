#include "packed_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "scvet/base/parallel.h"

namespace scvet::graph {
namespace {

// Squares and their sums stay normal numbers between these.
constexpr double kLargest = 1e140, kSmallest = 1e-140;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

template <class T>
double largest_offset(MatrixView<const T> x, const std::vector<double>& centre) {
  double largest = 0;
  for (std::int64_t row = 0; row < x.rows; ++row)
    for (std::int64_t col = 0; col < x.cols; ++col)
      largest = std::max(largest, std::abs(static_cast<double>(x(row, col)) - centre[static_cast<std::size_t>(col)]));
  return largest;
}

}  // namespace

double product_bound(std::int64_t depth) { return 1.01 * 0x1p-24 * static_cast<double>(depth + 16); }
double double_bound(std::int64_t depth) { return 0x1p-51 * static_cast<double>(depth + 16); }

template <class T>
Frame frame_of(MatrixView<const T> queries, MatrixView<const T> references, bool& fits) {
  Frame frame;
  frame.centre.assign(static_cast<std::size_t>(references.cols), 0);
  for (std::int64_t row = 0; row < references.rows; ++row)
    for (std::int64_t col = 0; col < references.cols; ++col)
      frame.centre[static_cast<std::size_t>(col)] += static_cast<double>(references(row, col));
  for (double& mean : frame.centre) mean /= static_cast<double>(references.rows);
  double largest = largest_offset(references, frame.centre);
  if (queries.data != references.data) largest = std::max(largest, largest_offset(queries, frame.centre));
  fits = references.cols > 0 && (largest == 0 || (largest < kLargest && largest > kSmallest));
  int exponent = 0;
  if (fits && largest > 0) std::frexp(largest, &exponent);
  frame.scale = std::ldexp(1., -exponent);
  return frame;
}

template <class T>
PackedRows pack_rows(MatrixView<const T> x, const Frame& frame, int cols) {
  PackedRows packed;
  packed.rows = x.rows;
  packed.padded = (x.rows + PackedRows::kMultiple - 1) / PackedRows::kMultiple * PackedRows::kMultiple;
  packed.depth = x.cols;
  packed.cols = cols;
  packed.panels.resize(packed.padded * x.cols);
  packed.half.resize(static_cast<std::size_t>(packed.padded));
  packed.norm.resize(static_cast<std::size_t>(packed.padded));
  for (AlignedBuffer<float>* numbers : {&packed.half_below, &packed.norm_above, &packed.slack})
    numbers->resize(packed.padded);
  const double bound = product_bound(x.cols);
  parallel_for(packed.padded / cols, [&](std::int64_t panel, int) {
    for (std::int64_t row = panel * cols; row < (panel + 1) * cols; ++row) {
      if (row >= x.rows) {
        packed.half_below[row] = kInfinity;
        continue;
      }
      float* to = packed.panels.data() + panel * cols * x.cols + row % cols;
      double square = 0;
      for (std::int64_t col = 0; col < x.cols; ++col, to += cols) {
        const double z = (static_cast<double>(x(row, col)) - frame.centre[static_cast<std::size_t>(col)]) * frame.scale;
        square += z * z;
        *to = static_cast<float>(z);
      }
      const double norm = std::sqrt(square);
      packed.half[static_cast<std::size_t>(row)] = square / 2;
      packed.norm[static_cast<std::size_t>(row)] = norm;
      packed.half_below[row] = static_cast<float>(square / 2 * (1 - 0x1p-21));
      packed.norm_above[row] = static_cast<float>(norm * (1 + 0x1p-20));
      packed.slack[row] = static_cast<float>(bound * norm * (1 + 0x1p-20));
    }
  });
  return packed;
}

template Frame frame_of(MatrixView<const float>, MatrixView<const float>, bool&);
template Frame frame_of(MatrixView<const double>, MatrixView<const double>, bool&);
template PackedRows pack_rows(MatrixView<const float>, const Frame&, int);
template PackedRows pack_rows(MatrixView<const double>, const Frame&, int);

}  // namespace scvet::graph
