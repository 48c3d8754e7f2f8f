// p values from drawn or held-out values of a statistic.
#pragma once

#include <span>

namespace scvet::numeric {

// (1 + #{null >= observed}) / (n + 1): ties count against, and p is never 0 (doi:10.2202/1544-6115.1585).
double upper_tail_p(std::span<const double> null, double observed);

}  // namespace scvet::numeric
