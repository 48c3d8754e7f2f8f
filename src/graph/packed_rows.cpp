#include "packed_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "scvet/base/parallel.h"

namespace scvet::graph {
namespace {

// Squares and their sums stay normal numbers between these.
constexpr double kLargest = 1e140, kSmallest = 1e-140;
constexpr std::int64_t kSampleRows = 255;
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
  const std::int64_t step = std::max<std::int64_t>(1, references.rows / kSampleRows);
  for (std::int64_t col = 0; col < references.cols; ++col) {
    std::vector<T> sample;
    for (std::int64_t row = 0; row < references.rows; row += step) sample.push_back(references(row, col));
    const auto middle = sample.begin() + static_cast<std::ptrdiff_t>(sample.size() / 2);
    std::nth_element(sample.begin(), middle, sample.end());
    frame.centre.push_back(static_cast<double>(*middle));
  }
  double largest = largest_offset(references, frame.centre);
  if (queries.data != references.data) largest = std::max(largest, largest_offset(queries, frame.centre));
  fits = references.cols > 0 && (largest == 0 || (largest < kLargest && largest > kSmallest));
  int exponent = 0;
  if (fits && largest > 0) std::frexp(largest, &exponent);
  frame.scale = std::ldexp(1., -exponent);
  return frame;
}

template <class T>
PackedRows pack_rows(MatrixView<const T> x, const Frame& frame, std::span<const std::uint32_t> order, int cols) {
  PackedRows packed;
  packed.rows = x.rows;
  packed.padded = (x.rows + PackedRows::kMultiple - 1) / PackedRows::kMultiple * PackedRows::kMultiple;
  packed.depth = x.cols;
  packed.cols = cols;
  packed.order.assign(order.begin(), order.end());
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
      const T* const from = x.row(order[static_cast<std::size_t>(row)]);
      double square = 0;
      for (std::int64_t col = 0; col < x.cols; ++col, to += cols) {
        const double z = (static_cast<double>(from[col]) - frame.centre[static_cast<std::size_t>(col)]) * frame.scale;
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
  packed.largest_half = *std::max_element(packed.half.begin(), packed.half.end());
  packed.largest_norm = *std::max_element(packed.norm.begin(), packed.norm.end());
  return packed;
}

double GroupBalls::between(std::int64_t group, const GroupBalls& others, std::int64_t other) const {
  const float *a = centres.data() + group * depth, *b = others.centres.data() + other * depth;
  double sum[4] = {};
  std::int64_t at = 0;
  for (; at + 4 <= depth; at += 4)
    for (int lane = 0; lane < 4; ++lane) {
      const double difference = static_cast<double>(a[at + lane]) - static_cast<double>(b[at + lane]);
      sum[lane] += difference * difference;
    }
  for (; at < depth; ++at) {
    const double difference = static_cast<double>(a[at]) - static_cast<double>(b[at]);
    sum[0] += difference * difference;
  }
  return std::sqrt(sum[0] + sum[1] + sum[2] + sum[3]);
}

double GroupBalls::least_square(std::int64_t group, const GroupBalls& others, std::int64_t other) const {
  const auto a = static_cast<std::size_t>(group), b = static_cast<std::size_t>(other);
  const double gap = between(group, others, other) * (1 - 1e-9) - radius[a] - others.radius[b];
  return gap <= 0 ? 0 : gap * gap - 1e-9 * (square[a] + others.square[b]);
}

GroupBalls group_balls(const PackedRows& packed) {
  constexpr std::int64_t kRows = PackedRows::kMultiple;
  GroupBalls balls;
  const auto n_groups = static_cast<std::size_t>(packed.padded / kRows);
  balls.depth = packed.depth;
  balls.centres.resize(n_groups * static_cast<std::size_t>(packed.depth));
  balls.radius.resize(n_groups);
  balls.square.resize(n_groups);
  parallel_for(static_cast<std::int64_t>(n_groups), [&](std::int64_t group, int) {
    const std::int64_t first = group * kRows, end = std::min(packed.rows, first + kRows), cols = packed.cols;
    float* const centre = balls.centres.data() + group * packed.depth;
    std::array<double, kRows> squares{};
    for (std::int64_t k = 0; k < packed.depth; ++k) {
      const auto z = [&](std::int64_t row) {
        return static_cast<double>(packed.panel(row / cols * cols)[k * cols + row % cols]);
      };
      double sum = 0;
      for (std::int64_t row = first; row < end; ++row) sum += z(row);
      centre[k] = static_cast<float>(sum / static_cast<double>(end - first));
      for (std::int64_t row = first; row < end; ++row) {
        const double difference = z(row) - static_cast<double>(centre[k]);
        squares[static_cast<std::size_t>(row - first)] += difference * difference;
      }
    }
    double largest = 0;
    for (std::int64_t row = first; row < end; ++row)
      largest = std::max(largest, packed.half[static_cast<std::size_t>(row)]);
    const auto at = static_cast<std::size_t>(group);
    balls.square[at] = 2 * largest;
    balls.radius[at] = std::sqrt(*std::max_element(squares.begin(), squares.end())) * (1 + 1e-9) +
                       0x1p-22 * std::sqrt(2 * largest) + kTiny;
  });
  return balls;
}

template Frame frame_of(MatrixView<const float>, MatrixView<const float>, bool&);
template Frame frame_of(MatrixView<const double>, MatrixView<const double>, bool&);
template PackedRows pack_rows(MatrixView<const float>, const Frame&, std::span<const std::uint32_t>, int);
template PackedRows pack_rows(MatrixView<const double>, const Frame&, std::span<const std::uint32_t>, int);

}  // namespace scvet::graph
