#include "scvet/numeric/binomial.h"

#include <boost/math/special_functions/beta.hpp>
#include <cmath>

#include "scvet/base/error.h"

namespace scvet::numeric {
namespace {

// No promotion to long double: its rounding differs between platforms.
using Policy = boost::math::policies::policy<boost::math::policies::promote_double<false>>;

}  // namespace

Interval clopper_pearson(std::int64_t hits, std::int64_t n, double level) {
  if (hits < 0 || hits > n || !(level > 0 && level < 1))
    throw InternalError("interval of a binomial share: hits, n or level out of range");
  if (n == 0) return {0, 1};
  const double tail = (1 - level) / 2;
  const double x = static_cast<double>(hits), rest = static_cast<double>(n - hits);
  return {hits == 0 ? 0 : boost::math::ibeta_inv(x, rest + 1, tail, Policy()),
          hits == n ? 1 : boost::math::ibeta_inv(x + 1, rest, 1 - tail, Policy())};
}

double zero_hit_bound(std::int64_t n, double level) {
  if (n <= 0) return 1;
  return -std::expm1(std::log1p(-level) / static_cast<double>(n));
}

}  // namespace scvet::numeric
