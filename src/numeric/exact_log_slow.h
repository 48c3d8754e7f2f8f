// The fall-back of exact_log, for the few arguments whose logarithm lies so close to the middle of two doubles that the
// fast evaluation cannot tell the nearest.
#pragma once

namespace scvet::numeric {

double exact_log_slow(double x);  // x > 0, finite

}  // namespace scvet::numeric
