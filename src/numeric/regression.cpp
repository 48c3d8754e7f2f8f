#include "scvet/numeric/regression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "scvet/base/error.h"
#include "scvet/numeric/moments.h"

namespace scvet::numeric {
namespace {

void require_equal_lengths(std::size_t first, std::size_t second) {
  if (first != second)
    throw InternalError(fmt::format("expected as many predictions as values: {} and {}", second, first));
}

}  // namespace

bool is_constant(std::span<const double> values) {
  return std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end();
}

double r2(std::span<const double> y, std::span<const double> predicted) {
  require_equal_lengths(y.size(), predicted.size());
  const double middle = mean(y);
  double residual = 0, total = 0;
  for (std::size_t row = 0; row < y.size(); ++row) {
    const double miss = y[row] - predicted[row], distance = y[row] - middle;
    residual += miss * miss;
    total += distance * distance;
  }
  if (total == 0 || is_constant(y))
    throw DataError(fmt::format("R^2 needs values that differ; found {} equal ones: give more rows or another label "
                                "(reason=ss_tot_zero)",
                                y.size()),
                    {.reason = "ss_tot_zero"});
  return 1 - residual / total;
}

double mae(std::span<const double> y, std::span<const double> predicted) {
  require_equal_lengths(y.size(), predicted.size());
  double sum = 0;
  for (std::size_t row = 0; row < y.size(); ++row) sum += std::abs(y[row] - predicted[row]);
  return sum / static_cast<double>(y.size());
}

double pearson(std::span<const double> a, std::span<const double> b) {
  require_equal_lengths(a.size(), b.size());
  if (is_constant(a) || is_constant(b)) return std::numeric_limits<double>::quiet_NaN();
  const double middle_a = mean(a), middle_b = mean(b);
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t row = 0; row < a.size(); ++row) {
    const double from_a = a[row] - middle_a, from_b = b[row] - middle_b;
    ab += from_a * from_b;
    aa += from_a * from_a;
    bb += from_b * from_b;
  }
  return ab / std::sqrt(aa * bb);
}

}  // namespace scvet::numeric
