#include "scvet/numeric/principal_components.h"

#include <algorithm>
#include <cmath>

#include "dense_products.h"
#include "scvet/base/parallel.h"
#include "scvet/numeric/mt19937.h"

namespace scvet::numeric {
namespace {

constexpr std::int64_t kExtra = 8;  // vectors of the block beyond those asked for
constexpr int kRounds = 6;
constexpr double kSpanned = 1e-12;  // variance beside the largest from which on a direction is rounding error

struct Matrix {
  std::vector<double> values;
  std::int64_t rows = 0, cols = 0;
  Matrix(std::int64_t n_rows, std::int64_t n_cols)
      : values(static_cast<std::size_t>(n_rows * n_cols), 0.0), rows(n_rows), cols(n_cols) {}
  MatrixView<double> view() { return {values.data(), rows, cols}; }
  MatrixView<const double> view() const { return {values.data(), rows, cols}; }
};

// The rows fitted, centred.
struct Centred {
  std::vector<double> mean;
  Matrix rows;
};

Centred centre(MatrixView<const double> x, std::span<const std::uint8_t> fit) {
  const auto n = static_cast<std::int64_t>(std::count_if(fit.begin(), fit.end(), [](auto used) { return used != 0; }));
  Centred found{std::vector<double>(static_cast<std::size_t>(x.cols), 0.0), Matrix(n, x.cols)};
  for (std::int64_t row = 0; row < x.rows; ++row)
    if (fit[static_cast<std::size_t>(row)])
      for (std::int64_t col = 0; col < x.cols; ++col) found.mean[static_cast<std::size_t>(col)] += x(row, col);
  for (double& value : found.mean) value /= static_cast<double>(n);
  std::int64_t next = 0;
  for (std::int64_t row = 0; row < x.rows; ++row) {
    if (!fit[static_cast<std::size_t>(row)]) continue;
    for (std::int64_t col = 0; col < x.cols; ++col)
      found.rows.view()(next, col) = x(row, col) - found.mean[static_cast<std::size_t>(col)];
    ++next;
  }
  return found;
}

// X X' (by_rows) or X' X.
Matrix gram(MatrixView<const double> x, bool by_rows) {
  const std::int64_t size = by_rows ? x.rows : x.cols;
  Matrix products(size, size);
  const auto fill = [&](const PanelRequest& request) {
    for (std::int64_t at = 0; at < kProductTile; ++at) {
      const std::int64_t output = request.first_output + at;
      double* to = request.panel + at / request.cols * request.cols * request.n_k + at % request.cols;
      for (std::int64_t k = 0; k < request.n_k; ++k) {
        const std::int64_t along = request.first_k + k;
        to[k * request.cols] = output >= size ? 0 : by_rows ? x(output, along) : x(along, output);
      }
    }
  };
  symmetric_products(fill, size, size, by_rows ? x.cols : x.rows, products.view(), dense_kernel(simd_target()));
  const MatrixView<double> all = products.view();
  for (std::int64_t row = 0; row < size; ++row)
    for (std::int64_t col = 0; col < row; ++col) all(row, col) = all(col, row);
  return products;
}

// out[row] = sum over k of left[row][k] * right[k], k ascending. Rows are shared among the workers; a tile of `right`
// serves several of them.
Matrix product(MatrixView<const double> left, MatrixView<const double> right) {
  constexpr std::int64_t kRows = 16, kCols = 512;
  Matrix made(left.rows, right.cols);
  const MatrixView<double> out = made.view();
  parallel_for((left.rows + kRows - 1) / kRows, [&](std::int64_t task, int) {
    const std::int64_t first = task * kRows, last = std::min(left.rows, first + kRows);
    for (std::int64_t from = 0; from < right.cols; from += kCols) {
      const std::int64_t to = std::min(right.cols, from + kCols);
      for (std::int64_t k = 0; k < left.cols; ++k)
        for (std::int64_t row = first; row < last; ++row) {
          const double factor = left(row, k);
          const double* values = right.row(k);
          double* sums = out.row(row);
          for (std::int64_t col = from; col < to; ++col) sums[col] += factor * values[col];
        }
    }
  });
  return made;
}

double dot(const double* a, const double* b, std::int64_t n) {
  double sum = 0;
  for (std::int64_t at = 0; at < n; ++at) sum += a[at] * b[at];
  return sum;
}

// Modified Gram-Schmidt on rows, later rows shared among the workers. A row that the ones before it span becomes zero.
void orthonormalise(MatrixView<double> rows) {
  constexpr std::int64_t kChunk = 8;
  for (std::int64_t at = 0; at < rows.rows; ++at) {
    double* const own = rows.row(at);
    const double length = std::sqrt(dot(own, own, rows.cols));
    for (std::int64_t col = 0; col < rows.cols; ++col) own[col] = length > 0 ? own[col] / length : 0;
    const std::int64_t later = rows.rows - at - 1;
    parallel_for((later + kChunk - 1) / kChunk, [&](std::int64_t task, int) {
      const std::int64_t first = at + 1 + task * kChunk;
      for (std::int64_t row = first; row < std::min(rows.rows, first + kChunk); ++row) {
        double* const other = rows.row(row);
        const double along = dot(own, other, rows.cols);
        for (std::int64_t col = 0; col < rows.cols; ++col) other[col] -= along * own[col];
      }
    });
  }
}

Matrix transposed(MatrixView<const double> matrix) {
  Matrix made(matrix.cols, matrix.rows);
  for (std::int64_t row = 0; row < matrix.rows; ++row)
    for (std::int64_t col = 0; col < matrix.cols; ++col) made.view()(col, row) = matrix(row, col);
  return made;
}

// The first eigenpairs of a large symmetric matrix: Rayleigh-Ritz in the space that a block of random vectors reaches.
Eigen leading_eigen(const Matrix& products, std::int64_t n_wanted) {
  constexpr std::uint32_t kStart = 1;
  Mt19937 stream(kStart);
  Matrix block(std::min(products.rows, n_wanted + kExtra), products.rows);
  for (double& value : block.values) value = stream.randn();
  orthonormalise(block.view());
  for (int round = 0; round < kRounds; ++round) {
    block = product(block.view(), products.view());  // rows times a symmetric matrix
    orthonormalise(block.view());
    orthonormalise(block.view());  // twice is enough
  }
  const Matrix image = product(block.view(), products.view());
  const Matrix projected = product(image.view(), transposed(block.view()).view());
  Eigen ritz = symmetric_eigen(projected.view());
  const MatrixView<const double> turn(ritz.vectors.data(), block.rows, block.rows);
  return {ritz.values, product(turn, block.view()).values};
}

// Axes of length 1 from eigenvectors of X X'; the largest entry (the first of equal ones) of each positive.
void orient(MatrixView<double> axes) {
  for (std::int64_t axis = 0; axis < axes.rows; ++axis) {
    const std::span<double> entries = axes.row_span(axis);
    const auto largest = std::max_element(entries.begin(), entries.end(),
                                          [](double a, double b) { return std::fabs(a) < std::fabs(b); });
    const double sign = *largest < 0 ? -1 : 1;
    const double length = std::sqrt(dot(entries.data(), entries.data(), axes.cols));
    for (double& entry : entries) entry = entry * sign / length;
  }
}

}  // namespace

PrincipalComponents principal_components(MatrixView<const double> x, std::span<const std::uint8_t> fit,
                                         std::int64_t n_components) {
  const Centred centred = centre(x, fit);
  const std::int64_t n_fit = centred.rows.rows;
  const bool by_rows = n_fit < x.cols;
  const Matrix products = gram(centred.rows.view(), by_rows);
  const Eigen eigen =
      products.rows <= kExactSize ? symmetric_eigen(products.view()) : leading_eigen(products, n_components);

  PrincipalComponents found;
  const std::int64_t most = std::min<std::int64_t>(n_components, std::ssize(eigen.values));
  while (found.n_components < most) {
    const double value = eigen.values[static_cast<std::size_t>(found.n_components)];
    if (!(value > kSpanned * eigen.values.front())) break;
    found.variances.push_back(value / static_cast<double>(n_fit));
    ++found.n_components;
  }
  const MatrixView<const double> vectors(eigen.vectors.data(), found.n_components, products.rows);
  Matrix axes = by_rows ? product(vectors, centred.rows.view()) : Matrix(found.n_components, x.cols);
  if (!by_rows) std::copy_n(vectors.data, found.n_components * x.cols, axes.values.begin());
  orient(axes.view());

  // Centring after the product needs no second copy of x.
  const Matrix across = transposed(axes.view());
  Matrix scores = product(x, across.view());
  const Matrix shift = product({centred.mean.data(), 1, x.cols}, across.view());
  for (std::int64_t row = 0; row < x.rows; ++row)
    for (std::int64_t axis = 0; axis < axes.rows; ++axis) scores.view()(row, axis) -= shift.view()(0, axis);
  found.scores = std::move(scores.values);
  found.axes = std::move(axes.values);
  return found;
}

}  // namespace scvet::numeric
