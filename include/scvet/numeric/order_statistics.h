// Median, spread and quantiles. None of them changes its input; NaN must not occur in it.
#pragma once

#include <span>

namespace scvet::numeric {

double median(std::span<const double> values);  // mean of the two middle values when even; NaN when empty

// Median absolute deviation from `centre`, not scaled. 1.4826 times it estimates a normal standard deviation.
double median_absolute_deviation(std::span<const double> values, double centre);

// Linear interpolation between order statistics at (n - 1) * share (Hyndman and Fan 1996, type 7); NaN when empty.
double quantile(std::span<const double> values, double share);

}  // namespace scvet::numeric
