// Least squares on a parabola.
#pragma once

#include <array>
#include <span>

namespace scvet::numeric {

// Coefficients of y on 1, x, x^2. Where the points cannot tell a column from those before it (all x equal, or only two
// values of x) its coefficient is 0: the fitted values at these x are the same for every least-squares solution.
// Fewer than one point: all 0. Throws InternalError when the lengths differ.
std::array<double, 3> fit_parabola(std::span<const double> x, std::span<const double> y);

inline double parabola(const std::array<double, 3>& coefficients, double x) {
  return coefficients[0] + x * (coefficients[1] + x * coefficients[2]);
}

}  // namespace scvet::numeric
