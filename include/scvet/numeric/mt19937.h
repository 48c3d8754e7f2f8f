// The Mersenne Twister stream that numpy's RandomState(seed), torch's manual_seed(seed) and std::mt19937(seed) share,
// with numpy's and torch's ways of drawing from it. For parity with published trials only: everything else in scvet
// draws from base/random.h.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace scvet::numeric {

class Mt19937 {
 public:
  explicit Mt19937(std::uint32_t seed);

  std::uint32_t next() {
    if (at_ == kWords) refill();
    return words_[static_cast<std::size_t>(at_++)];
  }
  // The same values as so many calls of next().
  void fill(std::span<std::uint32_t> values);

  double unit53();  // numpy's random_sample: 53 bits of two words, in [0, 1)
  // Standard normal by the polar method, numpy's order (the second of a pair first), with exact_log.
  double randn();
  // Uniform on 0..most by masked rejection, as numpy's legacy generator; most = 0 draws nothing.
  std::uint32_t bounded(std::uint32_t most);

  std::vector<std::uint32_t> permutation(std::uint32_t n);        // numpy's
  std::vector<std::uint32_t> torch_permutation(std::uint32_t n);  // torch's randperm on a CPU, n < 2^32 / 20
  // Uniform on [-bound, bound) as torch draws parameters on a CPU: 24 bits of a word, scaled in double precision.
  float torch_uniform(float bound);

 private:
  static constexpr int kWords = 624;
  void refill();

  std::array<std::uint32_t, kWords> state_;
  std::array<std::uint32_t, kWords> words_;  // state_, tempered
  int at_ = kWords;
  bool has_kept_ = false;
  double kept_ = 0;
};

}  // namespace scvet::numeric
