#include "scvet/numeric/ranks.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

#include "scvet/base/error.h"
#include "scvet/numeric/regression.h"

namespace scvet::numeric {

double spearman(std::span<const std::uint32_t> position) {
  const std::size_t n = position.size();
  if (n < 2) return std::numeric_limits<double>::quiet_NaN();
  std::uint64_t squares = 0;  // below n^3 / 3: exact for every n below 2^21
  for (std::size_t at = 0; at < n; ++at) {
    const std::uint64_t distance = at > position[at] ? at - position[at] : position[at] - at;
    squares += distance * distance;
  }
  const double size = static_cast<double>(n);
  return 1 - 6 * static_cast<double>(squares) / (size * (size * size - 1));
}

std::vector<double> average_ranks(std::span<const double> values) {
  const std::size_t n = values.size();
  if (std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); }))
    throw InternalError("expected numbers to rank, found NaN");
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(n);
  for (std::size_t first = 0, next; first < n; first = next) {
    for (next = first + 1; next < n && values[order[next]] == values[order[first]];) ++next;
    // Ranks first + 1 .. next: their mean is a multiple of one half, exact.
    for (std::size_t at = first; at < next; ++at) ranks[order[at]] = 0.5 * static_cast<double>(first + 1 + next);
  }
  return ranks;
}

double spearman(std::span<const double> a, std::span<const double> b) {
  return pearson(average_ranks(a), average_ranks(b));
}

double partial_spearman(std::span<const double> a, std::span<const double> b, std::span<const double> given) {
  const double r_ab = spearman(a, b), r_ag = spearman(a, given), r_bg = spearman(b, given);
  const double left = (1 - r_ag * r_ag) * (1 - r_bg * r_bg);
  if (!(left > 0)) return std::numeric_limits<double>::quiet_NaN();
  return (r_ab - r_ag * r_bg) / std::sqrt(left);
}

}  // namespace scvet::numeric
