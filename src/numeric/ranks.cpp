#include "scvet/numeric/ranks.h"

#include <cstddef>
#include <limits>

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

}  // namespace scvet::numeric
