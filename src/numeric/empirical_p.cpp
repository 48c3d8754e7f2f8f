#include "scvet/numeric/empirical_p.h"

#include <algorithm>

namespace scvet::numeric {

double upper_tail_p(std::span<const double> null, double observed) {
  const auto reached = std::count_if(null.begin(), null.end(), [&](double value) { return value >= observed; });
  return (1 + static_cast<double>(reached)) / (1 + static_cast<double>(null.size()));
}

}  // namespace scvet::numeric
