// How well predictions fit: sums in the order given, from +0, two passes.
#pragma once

#include <span>

namespace scvet::numeric {

// All values equal, or none there. Not by the sum of squares: the mean of equal values can differ from them by rounding.
bool is_constant(std::span<const double> values);

// 1 - SS_res / SS_tot. SS_tot = 0 (or no row): DataError, reason ss_tot_zero. Lengths must agree, here and below
// (InternalError).
double r2(std::span<const double> y, std::span<const double> predicted);
double mae(std::span<const double> y, std::span<const double> predicted);  // NaN without rows
// sum(ab) / sqrt(sum(aa) * sum(bb)) of centred values; NaN where one side is constant.
double pearson(std::span<const double> a, std::span<const double> b);

}  // namespace scvet::numeric
