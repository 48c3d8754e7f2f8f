// The chi-square distribution.
#pragma once

namespace scvet::numeric {

// P(X >= value) with `freedom` degrees of freedom. Throws InternalError unless value >= 0 and freedom > 0.
double chi_square_survival(double value, double freedom);

}  // namespace scvet::numeric
