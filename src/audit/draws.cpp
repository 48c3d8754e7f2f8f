#include "draws.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "scvet/base/error.h"
#include "scvet/base/random.h"

namespace scvet::audit {
namespace {

// Adds p_g = sigmoid(logit + c) in token order, which fixes the rounding.
double expected_size(std::span<const double> logit, double c) {
  double sum = 0;
  for (const double value : logit) sum += 1 / (1 + std::exp(-(value + c)));
  return sum;
}

// 200 halvings of [-60, 60]; once the middle is an end, no further halving moves anything.
double solve_shift(std::span<const double> logit, double size) {
  double low = -60, high = 60;
  for (int halving = 0; halving < 200; ++halving) {
    const double middle = (low + high) / 2;
    if (middle == low || middle == high) break;
    if (expected_size(logit, middle) < size)
      low = middle;
    else
      high = middle;
  }
  return (low + high) / 2;
}

}  // namespace

UniformDraws::UniformDraws(std::uint32_t n_tokens, std::uint64_t seed) : seed_(seed), deck_(n_tokens) {
  std::iota(deck_.begin(), deck_.end(), std::uint16_t{0});
}

void UniformDraws::draw(std::uint32_t size, std::uint64_t b, std::vector<std::uint16_t>& tokens) {
  if (size > deck_.size()) throw InternalError("a draw of more genes than the universe holds");
  Stream stream(stream_key(seed_ ^ mix(size), b));
  swapped_.clear();
  for (std::uint32_t place = 0; place < size; ++place) {
    const auto other = place + static_cast<std::uint32_t>(stream.below(deck_.size() - place));
    std::swap(deck_[place], deck_[other]);
    swapped_.push_back(other);
  }
  tokens.assign(deck_.begin(), deck_.begin() + size);
  // Back to ascending order, which is cheaper than a new deck.
  for (std::uint32_t place = size; place-- > 0;) std::swap(deck_[place], deck_[swapped_[place]]);
  std::sort(tokens.begin(), tokens.end());
}

ParetoDraws::ParetoDraws(std::span<const double> frequency, std::int64_t n_cells, std::uint64_t seed) : seed_(seed) {
  const double most = 1 - 1 / (2 * static_cast<double>(n_cells));
  for (std::size_t token = 0; token < frequency.size(); ++token) {
    const double f = std::min(frequency[token], most);
    if (!(f > 0)) continue;
    tokens_.push_back(static_cast<std::uint16_t>(token));
    logit_.push_back(std::log(f / (1 - f)));
    odds_.push_back((1 - f) / f);
  }
}

ParetoDraws::Inclusion ParetoDraws::inclusion(std::uint32_t size) const {
  if (size > n_genes()) throw InternalError("a draw of more genes than the reference shows");
  Inclusion result;
  result.shift = solve_shift(logit_, size);
  for (const double value : logit_) result.p.push_back(1 / (1 + std::exp(-(value + result.shift))));
  return result;
}

void ParetoDraws::draw(std::uint32_t size, std::uint64_t b, Scratch& scratch,
                       std::vector<std::uint16_t>& tokens) const {
  if (size > n_genes()) throw InternalError("a draw of more genes than the reference shows");
  Stream stream(stream_key((seed_ + 1) ^ mix(size), b));
  scratch.keys.clear();
  for (std::size_t gene = 0; gene < tokens_.size(); ++gene) {
    const double u = stream.unit();
    scratch.keys.emplace_back(u / (1 - u) * odds_[gene], tokens_[gene]);
  }
  const auto end = scratch.keys.begin() + size;
  if (end != scratch.keys.end()) std::nth_element(scratch.keys.begin(), end, scratch.keys.end());
  tokens.clear();
  for (auto key = scratch.keys.begin(); key != end; ++key) tokens.push_back(key->second);
  std::sort(tokens.begin(), tokens.end());
}

}  // namespace scvet::audit
