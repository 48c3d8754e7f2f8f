#include "scvet/numeric/mt19937.h"

#include <cmath>
#include <numeric>
#include <utility>

#include "scvet/numeric/exact_log.h"

namespace scvet::numeric {

double Mt19937::unit53() {
  const std::uint32_t a = next() >> 5, b = next() >> 6;
  return (a * 67108864.0 + b) / 9007199254740992.0;
}

double Mt19937::randn() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  double x1, x2, r2;
  do {
    x1 = 2.0 * unit53() - 1.0;
    x2 = 2.0 * unit53() - 1.0;
    r2 = x1 * x1 + x2 * x2;
  } while (r2 >= 1.0 || r2 == 0.0);
  const double f = std::sqrt(-2.0 * exact_log(r2) / r2);
  spare_ = f * x1;
  has_spare_ = true;
  return f * x2;
}

std::uint32_t Mt19937::bounded(std::uint32_t most) {
  if (most == 0) return 0;
  std::uint32_t mask = most;
  for (const int shift : {1, 2, 4, 8, 16}) mask |= mask >> shift;
  std::uint32_t value;
  do value = next() & mask;
  while (value > most);
  return value;
}

std::vector<std::uint32_t> Mt19937::permutation(std::uint32_t n) {
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  for (std::uint32_t at = n; at-- > 1;) std::swap(order[at], order[bounded(at)]);
  return order;
}

std::vector<std::uint32_t> Mt19937::torch_permutation(std::uint32_t n) {
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  for (std::uint32_t at = 0; at + 1 < n; ++at) std::swap(order[at], order[at + next() % (n - at)]);
  return order;
}

float Mt19937::torch_uniform(float bound) {
  const double x = (next() & 0xFFFFFFu) * 0x1p-24;
  const float width = 2 * bound;
  return static_cast<float>(x * static_cast<double>(width) + static_cast<double>(-bound));
}

}  // namespace scvet::numeric
