// The natural logarithm, correctly rounded (binary64, to nearest even): the one that the trial's numbers are made with,
// since the C library's is no contract. Formulas and proof: docs/trial-numerics.md.
#pragma once

namespace scvet::numeric {

// ln x for x > 0 and finite: the caller's promise (InternalError otherwise).
double exact_log(double x);

// ln(1 + x) for x >= 0 as the trial's contract defines it: u = 1 + x; u == 1: x; else exact_log(u) + (x - (u - 1)) / u.
// Not always the correctly rounded value, but always the same one.
double exact_log1p(double x);

}  // namespace scvet::numeric
