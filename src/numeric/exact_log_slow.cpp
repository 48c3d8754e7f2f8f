#include "exact_log_slow.h"

#include <boost/multiprecision/cpp_bin_float.hpp>

namespace scvet::numeric {
namespace {

// No logarithm of a double lies closer than about 2^-64 units in the last place to the middle of two doubles (Lefevre
// and Muller 2001), so 118 bits settle every argument. The rest is for what cancels next to 1.
using Wide =
    boost::multiprecision::number<boost::multiprecision::cpp_bin_float<320, boost::multiprecision::digit_base_2>,
                                  boost::multiprecision::et_off>;

}  // namespace

double exact_log_slow(double x) { return static_cast<double>(log(Wide(x))); }

}  // namespace scvet::numeric
