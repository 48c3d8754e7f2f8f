#include "scvet/numeric/order_statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace scvet::numeric {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double take_median(std::vector<double>& values) {
  if (values.empty()) return kNaN;
  const std::size_t half = values.size() / 2;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(half);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

}  // namespace

double median(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  return take_median(copy);
}

double median_absolute_deviation(std::span<const double> values, double centre) {
  std::vector<double> distances;
  distances.reserve(values.size());
  for (const double value : values) distances.push_back(std::abs(value - centre));
  return take_median(distances);
}

double quantile(std::span<const double> values, double share) {
  if (values.empty()) return kNaN;
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const double place = static_cast<double>(sorted.size() - 1) * share;
  const auto below = static_cast<std::size_t>(std::floor(place));
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace scvet::numeric
