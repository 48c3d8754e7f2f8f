// Counts of successes.
#pragma once

#include <cstdint>

namespace scvet::numeric {

struct Interval {
  double low, high;
};

// Clopper-Pearson interval of a binomial share (doi:10.1093/biomet/26.4.404): never below the stated level.
// n = 0: nothing is known, [0, 1]. Throws InternalError unless 0 <= hits <= n and 0 < level < 1.
Interval clopper_pearson(std::int64_t hits, std::int64_t n, double level = .95);

// Largest share that still gives no hit among n with probability 1 - level: 1 - (1 - level)^(1/n), one-sided.
// n = 0: 1.
double zero_hit_bound(std::int64_t n, double level = .95);

}  // namespace scvet::numeric
