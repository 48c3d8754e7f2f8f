#include "scvet/numeric/mt19937.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "scvet/numeric/exact_log.h"

namespace scvet::numeric {
namespace {

constexpr std::size_t kShift = 397;

inline std::uint32_t twisted(std::uint32_t upper, std::uint32_t lower) {
  const std::uint32_t mixed = (upper & 0x80000000u) | (lower & 0x7fffffffu);
  return (mixed >> 1) ^ (0x9908b0dfu & (0u - (lower & 1)));
}

}  // namespace

Mt19937::Mt19937(std::uint32_t seed) : words_{} {
  state_[0] = seed;
  for (std::uint32_t word = 1; word < kWords; ++word)
    state_[word] = 1812433253u * (state_[word - 1] ^ (state_[word - 1] >> 30)) + word;
}

void Mt19937::refill() {
  constexpr std::size_t n = kWords;
  std::size_t word = 0;
  for (; word < n - kShift; ++word) state_[word] = state_[word + kShift] ^ twisted(state_[word], state_[word + 1]);
  for (; word < n - 1; ++word) state_[word] = state_[word + kShift - n] ^ twisted(state_[word], state_[word + 1]);
  state_[n - 1] = state_[kShift - 1] ^ twisted(state_[n - 1], state_[0]);
  for (word = 0; word < n; ++word) {
    std::uint32_t value = state_[word];
    value ^= value >> 11;
    value ^= (value << 7) & 0x9d2c5680u;
    value ^= (value << 15) & 0xefc60000u;
    words_[word] = value ^ (value >> 18);
  }
  at_ = 0;
}

void Mt19937::fill(std::span<std::uint32_t> values) {
  for (std::size_t done = 0; done < values.size();) {
    if (at_ == kWords) refill();
    const std::size_t count = std::min(values.size() - done, static_cast<std::size_t>(kWords - at_));
    std::copy_n(words_.begin() + at_, count, values.begin() + static_cast<std::ptrdiff_t>(done));
    at_ += static_cast<int>(count);
    done += count;
  }
}

double Mt19937::unit53() {
  const std::uint32_t high = next() >> 5, low = next() >> 6;
  return (high * 67108864.0 + low) / 9007199254740992.0;
}

double Mt19937::randn() {
  if (has_kept_) {
    has_kept_ = false;
    return kept_;
  }
  double x1, x2, square;
  do {
    x1 = 2 * unit53() - 1;
    x2 = 2 * unit53() - 1;
    square = x1 * x1 + x2 * x2;
  } while (square >= 1 || square == 0);
  const double factor = std::sqrt(-2 * exact_log(square) / square);
  kept_ = factor * x1;
  has_kept_ = true;
  return factor * x2;
}

std::uint32_t Mt19937::bounded(std::uint32_t most) {
  if (most == 0) return 0;
  const std::uint32_t mask = ~std::uint32_t{0} >> std::countl_zero(most);
  std::uint32_t value;
  do value = next() & mask;
  while (value > most);
  return value;
}

std::vector<std::uint32_t> Mt19937::permutation(std::uint32_t n) {
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  for (std::uint32_t last = n; last > 1; --last) std::swap(order[last - 1], order[bounded(last - 1)]);
  return order;
}

std::vector<std::uint32_t> Mt19937::torch_permutation(std::uint32_t n) {
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  for (std::uint32_t first = 0; first + 1 < n; ++first) std::swap(order[first], order[first + next() % (n - first)]);
  return order;
}

float Mt19937::torch_uniform(float bound) {
  const double x = (next() & 0xFFFFFFu) * 0x1p-24;
  return static_cast<float>(x * static_cast<double>(2 * bound) + static_cast<double>(-bound));
}

}  // namespace scvet::numeric
