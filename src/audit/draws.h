// Random gene sets of a given size: the draws of the nulls `uniform` and `frequency`. Draw b = 1.. of one size has a
// stream of its own, so any draw can be made alone and none depends on thread count.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace scvet::audit {

// Without replacement from tokens 0..n_tokens-1: Stream(key(seed ^ mix(size), b)), position i of the ascending tokens is
// swapped with i + below(n - i) for i = 0..size-1, and the first `size` are the set.
class UniformDraws {
 public:
  UniformDraws(std::uint32_t n_tokens, std::uint64_t seed);
  // Ascending tokens; size must not exceed n_tokens. Not thread-safe: each worker has its own.
  void draw(std::uint32_t size, std::uint64_t b, std::vector<std::uint16_t>& tokens);

 private:
  std::uint64_t seed_;
  std::vector<std::uint16_t> deck_;
  std::vector<std::uint32_t> swapped_;
};

// Pareto sampling of a fixed size (Rosen 1997, doi:10.1016/S0378-3758(96)00186-3): gene g is drawn with probability
// p_g = sigmoid(logit f_g + c) or nearly so, c such that the p_g add up to the size.
class ParetoDraws {
 public:
  // Frequencies f_g among `n_cells` reference cells, one a token; clipped to [0, 1 - 1/(2 n_cells)].
  ParetoDraws(std::span<const double> frequency, std::int64_t n_cells, std::uint64_t seed);

  // Genes that can be drawn, f_g > 0, ascending; a size above their number has no null.
  std::span<const std::uint16_t> tokens() const { return tokens_; }
  std::uint32_t n_genes() const { return static_cast<std::uint32_t>(tokens_.size()); }

  struct Inclusion {
    double shift = 0;       // c
    std::vector<double> p;  // parallel to tokens()
  };
  Inclusion inclusion(std::uint32_t size) const;

  struct Scratch {
    std::vector<std::pair<double, std::uint16_t>> keys;
  };
  // Stream(key((seed + 1) ^ mix(size), b)), one unit() u a gene in ascending token order; the `size` smallest
  // u/(1-u) (1-p)/p are the set (ties: lower token). Ascending tokens. Since (1-p)/p = exp(-c) (1-f)/f, c moves every
  // key by one factor and the set needs no c.
  void draw(std::uint32_t size, std::uint64_t b, Scratch& scratch, std::vector<std::uint16_t>& tokens) const;

 private:
  std::uint64_t seed_;
  std::vector<std::uint16_t> tokens_;
  std::vector<double> logit_, odds_;  // log f/(1-f), (1-f)/f
};

}  // namespace scvet::audit
