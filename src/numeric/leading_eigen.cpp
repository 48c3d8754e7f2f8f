#include "scvet/numeric/leading_eigen.h"

#define EIGEN_DONT_PARALLELIZE  // the same bytes for any number of workers
#include <Spectra/SymEigsSolver.h>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "scvet/base/error.h"
#include "scvet/base/parallel.h"
#include "scvet/base/random.h"

namespace scvet::numeric {
namespace {

using Vector = ::Eigen::VectorXd;
using Matrix = ::Eigen::MatrixXd;

constexpr std::int64_t kDenseSize = 256;       // up to here the dense solver is as fast
constexpr std::int64_t kLargestDense = 4'096;  // up to here it takes over where Lanczos does not converge
constexpr int kMostRestarts = 2'000;
constexpr double kTolerance = 1e-12;  // of a residual, beside the value
constexpr double kSame = 1e-9;        // two values nearer than that, beside the largest, are one
constexpr double kGlance = 1e-6;      // tolerance of a first look at what is left

// Pairs in no order; vectors are columns.
struct Pairs {
  Vector values;
  Matrix vectors;
};

// B = A / scale + shift, from which the columns of `found` are projected out.
struct Deflated {
  using Scalar = double;
  const SymmetricProduct& product;
  std::int64_t n;
  double scale, shift;
  const Matrix* found = nullptr;

  ::Eigen::Index rows() const { return n; }
  ::Eigen::Index cols() const { return n; }
  void perform_op(const double* x, double* y) const {
    const ::Eigen::Map<const Vector> in(x, n);
    ::Eigen::Map<Vector> out(y, n);
    Vector kept = in;
    if (found) kept -= *found * (found->transpose() * in);
    product({kept.data(), static_cast<std::size_t>(n)}, {y, static_cast<std::size_t>(n)});
    out = out / scale + shift * kept;
    if (found) out -= *found * (found->transpose() * out).eval();
  }
};

Vector start_vector(std::int64_t n, std::uint64_t run) {
  Stream stream(stream_key(0x1A9C705, run));
  Vector start(n);
  for (double& value : start) value = stream.unit() - .5;
  return start;
}

// In eight sums, so that additions need not wait for each other; always the same eight.
double dot(const double* a, const double* b, std::int64_t n) {
  constexpr std::int64_t kSums = 8;
  double sums[kSums] = {};
  std::int64_t at = 0;
  for (; at + kSums <= n; at += kSums)
    for (std::int64_t lane = 0; lane < kSums; ++lane) sums[lane] += a[at + lane] * b[at + lane];
  for (; at < n; ++at) sums[at % kSums] += a[at] * b[at];
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

// About the largest magnitude of an eigenvalue, never more than it.
double magnitude(std::int64_t n, const SymmetricProduct& product) {
  constexpr int kSteps = 8;
  Vector x = start_vector(n, 0), y(n);
  double length = 0;
  for (int step = 0; step < kSteps; ++step) {
    x /= x.norm();
    product({x.data(), static_cast<std::size_t>(n)}, {y.data(), static_cast<std::size_t>(n)});
    length = y.norm();
    if (length == 0) break;
    x = y;
  }
  return length;
}

// False: no convergence.
bool lanczos(Deflated& matrix, std::int64_t count, Leading which, std::uint64_t run, double tolerance, Pairs& pairs) {
  Spectra::SymEigsSolver<Deflated> solver(matrix, count, std::min(matrix.n, std::max<std::int64_t>(5 * count, 40)));
  Vector start = start_vector(matrix.n, run);
  if (matrix.found) start -= *matrix.found * (matrix.found->transpose() * start).eval();
  solver.init(start.data());
  const auto rule = which == Leading::kLargest ? Spectra::SortRule::LargestAlge : Spectra::SortRule::LargestMagn;
  if (solver.compute(rule, kMostRestarts, tolerance) < count) return false;
  pairs = {solver.eigenvalues(), solver.eigenvectors()};
  return true;
}

double key(double value, Leading which) { return which == Leading::kLargest ? value : std::fabs(value); }

// Leading first.
std::vector<::Eigen::Index> order_of(const Vector& values, Leading which) {
  std::vector<::Eigen::Index> order(static_cast<std::size_t>(values.size()));
  std::iota(order.begin(), order.end(), ::Eigen::Index{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
    const double left = key(values[a], which), right = key(values[b], which);
    return left != right ? left > right : values[a] > values[b];
  });
  return order;
}

void append(Pairs& pairs, double value, const Vector& vector) {
  pairs.values.conservativeResize(pairs.values.size() + 1);
  pairs.vectors.conservativeResize(vector.size(), pairs.vectors.cols() + 1);
  pairs.values[pairs.values.size() - 1] = value;
  pairs.vectors.col(pairs.vectors.cols() - 1) = vector;
}

// Lanczos runs until the leading value outside the space found is none of the first `count`.
bool all_copies(Deflated& matrix, std::int64_t count, Leading which, Pairs& pairs) {
  if (!lanczos(matrix, count, which, 1, kTolerance, pairs)) return false;
  std::int64_t more = 1;
  for (std::uint64_t run = 2;; ++run) {
    const auto room = matrix.n - static_cast<std::int64_t>(pairs.values.size());
    if (room < 2) return true;
    const double least = key(pairs.values[order_of(pairs.values, which)[static_cast<std::size_t>(count - 1)]], which);
    matrix.found = &pairs.vectors;
    Pairs beside;
    // A value known to kGlance of itself that lies this far below needs no closer look.
    if (!lanczos(matrix, 1, which, run, kGlance, beside)) return false;
    if (key(beside.values[0], which) < least - 10 * kGlance) return true;
    if (!lanczos(matrix, std::min(more, room - 1), which, run, kTolerance, beside)) return false;
    matrix.found = nullptr;
    bool missed = false;
    for (::Eigen::Index at = 0; at < beside.values.size(); ++at) {
      if (!(key(beside.values[at], which) > least + kSame)) continue;
      missed = true;
      append(pairs, beside.values[at], beside.vectors.col(at));
    }
    if (!missed) return true;
    more = std::min(2 * more, count);
  }
}

Pairs dense(std::int64_t n, const SymmetricProduct& product) {
  Matrix whole(n, n);
  Vector unit = Vector::Zero(n);
  for (std::int64_t col = 0; col < n; ++col) {
    unit[col] = 1;
    product({unit.data(), static_cast<std::size_t>(n)}, {whole.col(col).data(), static_cast<std::size_t>(n)});
    unit[col] = 0;
  }
  const ::Eigen::SelfAdjointEigenSolver<Matrix> solver(whole);
  if (solver.info() != ::Eigen::Success) throw InternalError("leading_eigen: the dense solver did not converge");
  return {solver.eigenvalues(), solver.eigenvectors()};
}

Pairs zero_matrix(std::int64_t n, std::int64_t count) { return {Vector::Zero(count), Matrix::Identity(n, count)}; }

Pairs solve(std::int64_t n, const SymmetricProduct& product, std::int64_t count, Leading which) {
  if (n <= kDenseSize || 3 * count >= n) return dense(n, product);
  const double scale = magnitude(n, product);
  if (scale == 0) return zero_matrix(n, count);
  if (!std::isfinite(scale)) throw InternalError("leading_eigen: the matrix has values that are not finite");
  // Shifted by its size, a value near 0 converges relative to the largest; Lanczos itself sees no shift.
  Deflated matrix{product, n, scale, which == Leading::kLargest ? 1.0 : 0.0};
  Pairs pairs;
  if (!all_copies(matrix, count, which, pairs)) {
    if (n <= kLargestDense) return dense(n, product);
    throw InternalError("leading_eigen: no convergence for " + std::to_string(count) + " pairs of " +
                        std::to_string(n));
  }
  pairs.values = (pairs.values.array() - matrix.shift) * scale;
  return pairs;
}

}  // namespace

Eigen leading_eigen(std::int64_t n, const SymmetricProduct& product, std::int64_t count, Leading which) {
  count = std::min(count, n);
  Eigen found;
  if (count <= 0) return found;
  const Pairs pairs = solve(n, product, count, which);
  const auto order = order_of(pairs.values, which);
  for (std::int64_t at = 0; at < count; ++at) {
    const auto col = order[static_cast<std::size_t>(at)];
    const double* const vector = pairs.vectors.col(col).data();
    const double* const largest =
        std::max_element(vector, vector + n, [](double a, double b) { return std::fabs(a) < std::fabs(b); });
    const double sign = *largest < 0 ? -1 : 1;
    found.values.push_back(pairs.values[col]);
    for (std::int64_t entry = 0; entry < n; ++entry) found.vectors.push_back(sign * vector[entry]);
  }
  return found;
}

Eigen leading_eigen(MatrixView<const double> matrix, std::int64_t count, Leading which) {
  constexpr std::int64_t kRows = 512;
  if (matrix.rows != matrix.cols) throw InternalError("leading_eigen: the matrix is not square");
  const auto product = [&](std::span<const double> x, std::span<double> y) {
    parallel_for((matrix.rows + kRows - 1) / kRows, [&](std::int64_t task, int) {
      for (std::int64_t row = task * kRows; row < std::min(matrix.rows, (task + 1) * kRows); ++row)
        y[static_cast<std::size_t>(row)] = dot(matrix.row(row), x.data(), matrix.cols);
    });
  };
  return leading_eigen(matrix.rows, product, count, which);
}

}  // namespace scvet::numeric
