// Means and standard deviations, summed in the order given, so that they never depend on threads.
#pragma once

#include <span>

namespace scvet::numeric {

double mean(std::span<const double> values);  // NaN when empty
// Sample standard deviation (divisor n - 1), two passes; NaN with fewer than two values.
double standard_deviation(std::span<const double> values);

}  // namespace scvet::numeric
