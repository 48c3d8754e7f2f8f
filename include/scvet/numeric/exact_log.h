// The natural logarithm, correctly rounded: the same bits on every machine, which no C library promises.
#pragma once

namespace scvet::numeric {

// The double nearest to log(x). x > 0 and finite: the caller's promise (InternalError otherwise).
double exact_log(double x);

// log(1 + x) for x >= 0 by u = 1 + x; x where u is 1, else log(u) + (x - (u - 1)) / u: fixed steps, not correctly
// rounded.
double exact_log1p(double x);

}  // namespace scvet::numeric
