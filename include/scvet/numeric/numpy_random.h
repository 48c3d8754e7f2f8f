// The stream of numpy's default_rng(seed): SeedSequence, then PCG64 (O'Neill 2014, HMC-CS-2014-0905; XSL-RR 128/64),
// with numpy's ways of drawing from it. For parity with published benchmarks only: everything else in scvet draws from
// base/random.h.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace scvet::numeric {

class NumpyRandom {
 public:
  explicit NumpyRandom(std::uint64_t seed);

  std::uint64_t next64();
  // The low half of a 64-bit number, then its high half: kept over whatever is drawn between the two.
  std::uint32_t next32();
  // Uniform on 0..n-1 by Lemire's multiplication with rejection (doi:10.1145/3230636), n >= 1; n = 1 draws nothing.
  std::uint32_t below(std::uint32_t n);

  // integers(0, n, count), and choice(n, count): with replacement. n >= 1.
  std::vector<std::uint32_t> integers(std::uint32_t n, std::size_t count);
  // choice(n, count, replace=False): `count` different numbers of 0..n-1 in random order. InternalError when count > n.
  std::vector<std::uint32_t> choose(std::uint32_t n, std::uint32_t count);

 private:
  __extension__ using Wide = unsigned __int128;
  void step();
  void shuffle_tail(std::span<std::uint32_t> values, std::size_t first);

  Wide state_ = 0, increment_ = 0;
  bool has_kept_ = false;
  std::uint32_t kept_ = 0;
};

}  // namespace scvet::numeric
