#include "scvet/numeric/exact_log.h"

#include <array>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>

#include "scvet/base/error.h"

namespace scvet::numeric {
namespace {

using Wide = boost::multiprecision::cpp_bin_float_100;

// An unevaluated sum of two doubles, |lo| <= ulp(hi) / 2: about 106 bits.
struct Pair {
  double hi, lo;
};

// Knuth's and Dekker's exact sum and product; no fused operation, so the same steps everywhere.
Pair two_sum(double a, double b) {
  const double sum = a + b, part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}
Pair fast_two_sum(double a, double b) {  // |a| >= |b|
  const double sum = a + b;
  return {sum, b - (sum - a)};
}
Pair split(double a) {
  const double scaled = 134217729.0 * a, high = scaled - (scaled - a);
  return {high, a - high};
}
Pair two_product(double a, double b) {
  const double product = a * b;
  const Pair x = split(a), y = split(b);
  return {product, ((x.hi * y.hi - product) + x.hi * y.lo + x.lo * y.hi) + x.lo * y.lo};
}
Pair add(Pair a, Pair b) {
  const Pair high = two_sum(a.hi, b.hi), low = two_sum(a.lo, b.lo);
  const Pair sum = fast_two_sum(high.hi, high.lo + low.hi);
  return fast_two_sum(sum.hi, sum.lo + low.lo);
}
Pair multiply(Pair a, Pair b) {
  const Pair product = two_product(a.hi, b.hi);
  return fast_two_sum(product.hi, product.lo + (a.hi * b.lo + a.lo * b.hi));
}
Pair divide(Pair a, Pair b) {
  const double first = a.hi / b.hi;
  const Pair product = multiply({first, 0.0}, b);
  const Pair rest = add(a, {-product.hi, -product.lo});
  return fast_two_sum(first, rest.hi / b.hi);
}

Pair pair_of(const Wide& value) {
  const double hi = value.convert_to<double>();
  return {hi, Wide(value - hi).convert_to<double>()};
}

constexpr int kCentres = 64;  // centres c = 1 + j / 64 for m in [1, 2), half of them used below sqrt 2

struct Tables {
  std::array<Pair, 2 * kCentres> log_centre;  // of c = (64 + j) / 64, j = -32 .. 64
  Pair ln2;
  double ln2_high;                   // so short that k * ln2_high is exact
  std::array<Pair, 12> odd_inverse;  // 1 / (2 n + 1)
};

const Tables& tables() {
  static const Tables kTables = [] {
    Tables made{};
    for (int at = 0; at < 2 * kCentres; ++at)
      made.log_centre[static_cast<std::size_t>(at)] = pair_of(log(Wide(at + kCentres / 2) / kCentres));
    const Wide ln2 = log(Wide(2));
    made.ln2_high = std::ldexp(std::floor(std::ldexp(ln2.convert_to<double>(), 32)), -32);
    made.ln2 = pair_of(ln2 - made.ln2_high);
    for (int n = 0; n < 12; ++n) made.odd_inverse[static_cast<std::size_t>(n)] = pair_of(Wide(1) / (2 * n + 1));
    return made;
  }();
  return kTables;
}

// 2 atanh(s) for |s| < 2^-7: s (2 + 2 s^2 / 3 + ...); later terms need fewer bits.
Pair twice_atanh(Pair s) {
  const Tables& t = tables();
  const Pair square = multiply(s, s);
  double tail = 0;
  for (std::size_t n = 9; n >= 5; --n) tail = tail * square.hi + t.odd_inverse[n].hi;
  Pair sum = {tail, 0};
  for (std::size_t n = 5; n-- > 0;) sum = add(t.odd_inverse[n], multiply(sum, square));
  const Pair product = multiply(sum, s);
  return {2 * product.hi, 2 * product.lo};
}

double from_wide(double x) { return log(Wide(x)).convert_to<double>(); }

}  // namespace

double exact_log(double x) {
  if (!(x > 0) || std::isinf(x)) throw InternalError("logarithm of a number that is not positive and finite");
  if (x == 1) return 0;
  int exponent;
  double m = std::frexp(x, &exponent);  // [1/2, 1)
  if (m < 0x1.6a09e667f3bcdp-1) {
    m *= 2;
    --exponent;
  }
  // The centre nearest to m; 1 itself where m is near 1, so that nothing cancels.
  const int j = static_cast<int>(std::floor(m * kCentres + 0.5));
  const double centre = static_cast<double>(j) / kCentres;
  const Pair s = divide({m - centre, 0.0}, two_sum(m, centre));
  Pair sum = twice_atanh(s);
  const Tables& t = tables();
  if (j != kCentres) sum = add(t.log_centre[static_cast<std::size_t>(j - kCentres / 2)], sum);
  if (exponent != 0) {
    const double k = exponent;
    sum = add(add({k * t.ln2_high, 0.0}, multiply({k, 0.0}, t.ln2)), sum);
  }
  // Rounded safely if an error of 2^-88 of the value, more than the steps above can make, would not change it.
  const double error = std::abs(sum.hi) * 0x1p-88;
  if (sum.hi + (sum.lo + error) == sum.hi + (sum.lo - error)) return sum.hi + sum.lo;
  return from_wide(x);
}

double exact_log1p(double x) {
  const double u = 1 + x;
  if (u == 1) return x;
  return exact_log(u) + (x - (u - 1)) / u;
}

}  // namespace scvet::numeric
