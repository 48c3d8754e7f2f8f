#include "scvet/numeric/anderson_darling.h"

#include <cmath>
#include <limits>
#include <vector>

#include "scvet/base/error.h"

namespace scvet::numeric {

double anderson_sigma(std::int64_t n1, std::int64_t n2) {
  const std::int64_t n = n1 + n2;
  if (n1 < 1 || n2 < 1 || n < 4) throw InternalError("expected two samples of at least four observations in all");
  const double H = 1 / static_cast<double>(n1) + 1 / static_cast<double>(n2);
  double h = 0;
  for (std::int64_t i = 1; i < n; ++i) h += 1 / static_cast<double>(i);
  double g = 0, q = 0;
  for (std::int64_t j = 2; j < n; ++j) {
    q += 1 / static_cast<double>(n - j + 1);
    g += (1 / static_cast<double>(j)) * q;
  }
  // a, b, c, d of Scholz and Stephens (1987) for k = 2.
  const double a = (4 * g - 6) + (10 - 6 * g) * H;
  const double b = 8 * g - 16 + 16 * h + (2 * g - 14 * h - 4) * H - 8 * h + 4 * g - 6;
  const double c = 24 * h + 8 * g - 8 + 8 * h - 8 * g + 12 + (2 * h - 6) * H + 4 * h;
  const double d = 24;
  const double N = static_cast<double>(n);
  return std::sqrt((((a * N + b) * N + c) * N + d) / ((N - 1) * (N - 2) * (N - 3)));
}

AndersonDarling2::AndersonDarling2(std::int64_t n1, std::int64_t n2)
    : n1_(n1),
      n2_(n2),
      sigma_(std::numeric_limits<double>::quiet_NaN()),
      factor_(std::numeric_limits<double>::quiet_NaN()) {
  if (n1 < 1 || n2 < 1 || n1 + n2 < 4) return;
  sigma_ = anderson_sigma(n1, n2);
  const double n = static_cast<double>(n1 + n2);
  factor_ = (n - 1) / (n * static_cast<double>(n1 * n2));
}

double AndersonDarling2::statistic(std::span<const std::uint32_t> values, std::span<const std::int64_t> f1,
                                   std::span<const std::int64_t> f2) const {
  if (values.size() != f1.size() || values.size() != f2.size())
    throw InternalError("expected one count of either sample for each value");
  std::int64_t below1 = 0, below2 = 0;
  int distinct = 0;
  double sum = 0;
  for (std::size_t at = 0; at < values.size(); ++at) {
    const std::int64_t here = f1[at] + f2[at];
    if (here == 0) continue;
    ++distinct;
    const std::int64_t left = below1 + below2, right = n1_ + n2_ - left - here;
    const std::int64_t difference = n2_ * (2 * below1 + f1[at]) - n1_ * (2 * below2 + f2[at]);
    const std::int64_t denominator = 4 * left * right + (left + right) * here;
    const double t = static_cast<double>(difference);
    if (denominator > 0) sum += (static_cast<double>(here) * (t * t)) / static_cast<double>(denominator);
    below1 += f1[at];
    below2 += f2[at];
  }
  if (below1 != n1_ || below2 != n2_) throw InternalError("the counts of the values do not add up to the samples");
  return distinct < 2 ? std::numeric_limits<double>::quiet_NaN() : from_sum(sum);
}

}  // namespace scvet::numeric
