#include "scvet/numeric/multiple_testing.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace scvet::numeric {

std::vector<double> benjamini_hochberg(std::span<const double> p) {
  std::vector<std::size_t> order;
  for (std::size_t at = 0; at < p.size(); ++at)
    if (!std::isnan(p[at])) order.push_back(at);
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return p[a] != p[b] ? p[a] < p[b] : a < b; });
  std::vector<double> q(p.size(), std::numeric_limits<double>::quiet_NaN());
  const double n = static_cast<double>(order.size());
  double smallest = 1;
  for (std::size_t rank = order.size(); rank > 0; --rank) {
    const std::size_t at = order[rank - 1];
    smallest = std::min(smallest, p[at] * n / static_cast<double>(rank));
    q[at] = smallest;
  }
  return q;
}

}  // namespace scvet::numeric
