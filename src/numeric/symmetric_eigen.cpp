#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "scvet/base/error.h"
#include "scvet/numeric/principal_components.h"

namespace scvet::numeric {
namespace {

// A = Q T Q': the diagonal and the off-diagonal of T (off[k] beside rows k and k+1), and Q' in `rows`.
struct Tridiagonal {
  std::vector<double> diagonal, off, rows;
};

double dot(const double* a, const double* b, std::size_t n) {
  double sum = 0;
  for (std::size_t at = 0; at < n; ++at) sum += a[at] * b[at];
  return sum;
}

// One Householder step: the reflection that maps column `step` below the diagonal on its first entry. A := H A H and
// rows := H rows for H = 1 - beta v v', v zero up to and with `step`.
void reflect(std::vector<double>& a, std::vector<double>& rows, std::size_t n, std::size_t step) {
  std::vector<double> v(n, 0.0), p(n, 0.0);
  for (std::size_t row = step + 1; row < n; ++row) v[row] = a[row * n + step];
  const double length = std::sqrt(dot(v.data(), v.data(), n));
  if (length == 0) return;
  v[step + 1] += v[step + 1] < 0 ? -length : length;
  const double squares = dot(v.data(), v.data(), n);
  if (squares == 0) return;
  const double beta = 2 / squares;
  for (std::size_t row = step + 1; row < n; ++row)  // p = beta A v, as sums of rows: A is symmetric
    for (std::size_t col = step; col < n; ++col) p[col] += v[row] * a[row * n + col];
  for (double& value : p) value *= beta;
  const double shift = beta / 2 * dot(p.data(), v.data(), n);
  for (std::size_t row = 0; row < n; ++row) p[row] -= shift * v[row];
  for (std::size_t row = step; row < n; ++row)
    for (std::size_t col = step; col < n; ++col) a[row * n + col] -= v[row] * p[col] + p[row] * v[col];
  std::vector<double> projection(n, 0.0);  // v' rows
  for (std::size_t row = step + 1; row < n; ++row)
    for (std::size_t col = 0; col < n; ++col) projection[col] += v[row] * rows[row * n + col];
  for (std::size_t row = step + 1; row < n; ++row)
    for (std::size_t col = 0; col < n; ++col) rows[row * n + col] -= beta * v[row] * projection[col];
}

Tridiagonal tridiagonal(MatrixView<const double> matrix) {
  const auto n = static_cast<std::size_t>(matrix.rows);
  std::vector<double> a(n * n);
  Tridiagonal found{std::vector<double>(n), std::vector<double>(n, 0.0), std::vector<double>(n * n, 0.0)};
  for (std::size_t row = 0; row < n; ++row) {
    std::copy_n(matrix.row(static_cast<std::int64_t>(row)), n, a.begin() + static_cast<std::ptrdiff_t>(row * n));
    found.rows[row * n + row] = 1;
  }
  for (std::size_t step = 0; step + 2 < n; ++step) reflect(a, found.rows, n, step);
  for (std::size_t row = 0; row < n; ++row) found.diagonal[row] = a[row * n + row];
  for (std::size_t row = 0; row + 1 < n; ++row) found.off[row] = a[(row + 1) * n + row];
  return found;
}

// Whether off[at] is nothing beside its neighbours on the diagonal.
bool negligible(const Tridiagonal& t, std::size_t at) {
  const double scale = std::fabs(t.diagonal[at]) + std::fabs(t.diagonal[at + 1]);
  return std::fabs(t.off[at]) + scale == scale;
}

// One implicit QL sweep over rows first..last with Wilkinson's shift.
void sweep(Tridiagonal& t, std::size_t first, std::size_t last, std::size_t n) {
  std::vector<double>&d = t.diagonal, &e = t.off;
  double g = (d[first + 1] - d[first]) / (2 * e[first]);
  const double root = std::sqrt(g * g + 1);
  g = d[last] - d[first] + e[first] / (g + (g < 0 ? -root : root));
  double s = 1, c = 1, p = 0;
  for (std::size_t next = last; next > first; --next) {
    const std::size_t at = next - 1;
    const double f = s * e[at], b = c * e[at];
    const double r = std::sqrt(f * f + g * g);
    e[next] = r;
    if (r == 0) {  // the matrix falls apart here
      d[next] -= p;
      e[last] = 0;
      return;
    }
    s = f / r;
    c = g / r;
    g = d[next] - p;
    const double turned = (d[at] - g) * s + 2 * c * b;
    p = s * turned;
    d[next] = g + p;
    g = c * turned - b;
    double *lower = t.rows.data() + at * n, *upper = lower + n;
    for (std::size_t col = 0; col < n; ++col) {
      const double kept = upper[col];
      upper[col] = s * lower[col] + c * kept;
      lower[col] = c * lower[col] - s * kept;
    }
  }
  d[first] -= p;
  e[first] = g;
  e[last] = 0;
}

}  // namespace

Eigen symmetric_eigen(MatrixView<const double> matrix) {
  constexpr int kMostSweeps = 60;
  if (matrix.rows != matrix.cols) throw InternalError("symmetric_eigen: the matrix is not square");
  const auto n = static_cast<std::size_t>(matrix.rows);
  if (n == 0) return {};
  Tridiagonal t = tridiagonal(matrix);
  for (std::size_t first = 0; first < n; ++first)
    for (int count = 0;; ++count) {
      std::size_t last = first;
      while (last + 1 < n && !negligible(t, last)) ++last;
      if (last == first) break;
      if (count == kMostSweeps) throw InternalError("symmetric_eigen: no convergence");
      sweep(t, first, last, n);
    }
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return t.diagonal[a] > t.diagonal[b]; });
  Eigen found;
  for (const std::size_t at : order) {
    found.values.push_back(t.diagonal[at]);
    const auto begin = t.rows.begin() + static_cast<std::ptrdiff_t>(at * n);
    found.vectors.insert(found.vectors.end(), begin, begin + static_cast<std::ptrdiff_t>(n));
  }
  return found;
}

}  // namespace scvet::numeric
