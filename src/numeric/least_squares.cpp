#include "scvet/numeric/least_squares.h"

#include <cmath>
#include <cstddef>
#include <vector>

#include "scvet/base/error.h"

namespace scvet::numeric {
namespace {

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t at = 0; at < a.size(); ++at) sum += a[at] * b[at];
  return sum;
}

}  // namespace

// Gram-Schmidt with a second pass, which makes it as accurate as Householder reflections (A = QR, then R c = Q'y).
std::array<double, 3> fit_parabola(std::span<const double> x, std::span<const double> y) {
  if (x.size() != y.size()) throw InternalError("least squares: as many x as y are needed");
  const std::size_t n = x.size();
  std::array<std::vector<double>, 3> columns;
  for (std::size_t at = 0; at < n; ++at) {
    columns[0].push_back(1);
    columns[1].push_back(x[at]);
    columns[2].push_back(x[at] * x[at]);
  }
  std::array<std::array<double, 3>, 3> r{};
  std::array<bool, 3> kept{};
  std::array<double, 3> projected{};
  for (std::size_t column = 0; column < 3; ++column) {
    std::vector<double>& q = columns[column];
    const double before = std::sqrt(dot(q, q));
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t earlier = 0; earlier < column; ++earlier) {
        if (!kept[earlier]) continue;
        const double share = dot(columns[earlier], q);
        r[earlier][column] += share;
        for (std::size_t at = 0; at < n; ++at) q[at] -= share * columns[earlier][at];
      }
    const double norm = std::sqrt(dot(q, q));
    kept[column] = norm > 1e-10 * before;
    if (!kept[column]) continue;
    r[column][column] = norm;
    for (double& value : q) value /= norm;
    projected[column] = dot(q, y);
  }
  std::array<double, 3> coefficients{};
  for (std::size_t column = 3; column-- > 0;) {
    if (!kept[column]) continue;
    double rest = projected[column];
    for (std::size_t later = column + 1; later < 3; ++later) rest -= r[column][later] * coefficients[later];
    coefficients[column] = rest / r[column][column];
  }
  return coefficients;
}

}  // namespace scvet::numeric
