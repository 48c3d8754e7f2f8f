// The MT19937 stream and what NumPy's RandomState and torch draw from it, for the results that must be theirs. All
// else draws from base/random.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace scvet::numeric {

class Mt19937 {
 public:
  // The same raw stream as RandomState(seed), torch.manual_seed(seed) and std::mt19937(seed).
  explicit Mt19937(std::uint32_t seed) : engine_(seed) {}

  std::uint32_t next() { return static_cast<std::uint32_t>(engine_()); }
  double unit53();  // [0, 1) on a grid of 2^-53, two raw numbers
  // Standard normal by the polar method; the second of each pair is kept for the next call. Its logarithm is the
  // correctly rounded one: NumPy's differs by 2 ulp or less in about 4 of 10,000 values, as its C library's does.
  double randn();
  // Uniform in 0..most by masked rejection; most = 0 draws nothing. randint(0, n) is bounded(n - 1).
  std::uint32_t bounded(std::uint32_t most);
  std::vector<std::uint32_t> permutation(std::uint32_t n);        // NumPy's
  std::vector<std::uint32_t> torch_permutation(std::uint32_t n);  // torch.randperm on the CPU, n < 2^32 / 20
  // Uniform in [-bound, bound) as torch draws parameters: float32 from 24 bits.
  float torch_uniform(float bound);

 private:
  std::mt19937 engine_;
  bool has_spare_ = false;
  double spare_ = 0;
};

}  // namespace scvet::numeric
