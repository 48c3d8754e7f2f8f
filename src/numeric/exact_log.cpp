#include "scvet/numeric/exact_log.h"

#include <bit>
#include <cstdint>

#include "exact_log_slow.h"
#include "exact_log_table.h"
#include "scvet/base/error.h"

namespace scvet::numeric {
namespace {

constexpr std::uint64_t kMantissa = (std::uint64_t{1} << 52) - 1;
constexpr std::uint64_t kHighMantissa = ~((std::uint64_t{1} << 21) - 1);
constexpr double kTwo54 = 0x1p54;
// The relative error of the fast path stays below 2^-72 (docs/trial-numerics.md); four times that is tested.
constexpr double kErrorBound = 0x1p-70;

// high + low = the exact result, |low| at most half a unit in the last place of high.
struct Pair {
  double high, low;
};

inline Pair two_sum(double a, double b) {  // Knuth
  const double sum = a + b;
  const double part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}

inline double upper_half(double a) {  // Veltkamp: 26 bits
  const double scaled = 134217729.0 * a;
  return scaled - (scaled - a);
}

inline Pair two_product(double a, double b) {  // Dekker; no fused multiply-add, which not every machine has
  const double product = a * b;
  const double a_high = upper_half(a), a_low = a - a_high;
  const double b_high = upper_half(b), b_low = b - b_high;
  return {product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low};
}

// r^4 (-1/4 + r/5 - r^2/6 ...), to a few units in its last place.
inline double tail(double r, double r2) {
  const double series =
      -1.0 / 4 +
      r * (1.0 / 5 +
           r * (-1.0 / 6 +
                r * (1.0 / 7 + r * (-1.0 / 8 + r * (1.0 / 9 + r * (-1.0 / 10 + r * (1.0 / 11 + r * (-1.0 / 12))))))));
  return r2 * r2 * series;
}

// ln(2^exponent * m) as high + low, m the mantissa of `bits`.
inline Pair log_pair(std::uint64_t bits, int exponent) {
  const int interval = static_cast<int>((bits & kMantissa) >> 45);
  const LogInterval& entry = kLogTable[interval];
  std::uint64_t biased = 1023;
  if (interval >= kLogFirstHalved) {
    --biased;
    ++exponent;
  }
  const std::uint64_t mantissa = (bits & kMantissa) | (biased << 52);
  const double m = std::bit_cast<double>(mantissa), m_high = std::bit_cast<double>(mantissa & kHighMantissa);
  // r = m * reciprocal - 1 without any rounding: 32 and 21 bits times 10.
  const Pair r = two_sum(m_high * entry.reciprocal - 1, (m - m_high) * entry.reciprocal);

  Pair square = two_product(r.high, r.high);
  square.low += 2 * (r.high * r.low);
  Pair cube = two_product(square.high, r.high);
  cube.low += square.high * r.low + square.low * r.high;
  Pair third = two_product(cube.high, kThirdHigh);
  third.low += cube.high * kThirdLow + cube.low * kThirdHigh;

  const double k = exponent;
  const Pair first = two_sum(k * kLn2High, entry.minus_log_high);
  const Pair second = two_sum(first.high, r.high);
  const Pair with_square = two_sum(second.high, -0.5 * square.high);
  const Pair with_cube = two_sum(with_square.high, third.high);
  const double small = (((first.low + second.low) + with_square.low) + with_cube.low) +
                       (((k * kLn2Low + entry.minus_log_low) + (r.low - 0.5 * square.low)) + third.low);
  return two_sum(with_cube.high, small + tail(r.high, square.high));
}

}  // namespace

double exact_log(double x) {
  std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  int exponent = static_cast<int>(bits >> 52);
  if (exponent == 0 || exponent >= 0x7ff) {  // zero, subnormal, infinite, NaN or negative
    if (!(x > 0) || exponent == 0x7ff) throw InternalError("logarithm of a number that is not positive and finite");
    bits = std::bit_cast<std::uint64_t>(x * kTwo54);
    exponent = static_cast<int>(bits >> 52) - 54;
  }
  const Pair value = log_pair(bits, exponent - 1023);
  const double error = (value.high < 0 ? -value.high : value.high) * kErrorBound;
  const double rounded = value.high + (value.low + error);
  if (rounded == value.high + (value.low - error)) return rounded;
  return exact_log_slow(x);
}

double exact_log1p(double x) {
  const double u = 1 + x;
  if (u == 1) return x;
  return exact_log(u) + (x - (u - 1)) / u;
}

}  // namespace scvet::numeric
