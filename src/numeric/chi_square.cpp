#include "scvet/numeric/chi_square.h"

#include <boost/math/special_functions/gamma.hpp>

#include "scvet/base/error.h"

namespace scvet::numeric {
namespace {

// No promotion to long double: its rounding differs between platforms.
using Policy = boost::math::policies::policy<boost::math::policies::promote_double<false>>;

}  // namespace

double chi_square_survival(double value, double freedom) {
  if (!(value >= 0 && freedom > 0)) throw InternalError("chi-square: value or degrees of freedom out of range");
  return boost::math::gamma_q(freedom / 2, value / 2, Policy());
}

}  // namespace scvet::numeric
