// Vertical counters: bit b of plane p is bit p of lane b's count, and rows of bits are added to all lanes at once through
// carry-save adders. Compiled for each instruction set (bits_<target>.h), so nothing here may come from an inline
// function of the standard library: its copy compiled for a newer processor could be the one that the linker keeps.
#pragma once

#include <cstdint>

namespace scvet::sketch {
namespace {

constexpr std::uint32_t kLeaf = 16;

template <class S>
inline __attribute__((always_inline)) void half_add(typename S::Vec& sum, typename S::Vec& carry) {
  const typename S::Vec both = S::both(sum, carry);
  sum = S::differ(sum, carry);
  carry = both;
}

// Adds sixteen rows to the counter's four low planes; returns the carry into the fifth.
template <class S, class At>
inline __attribute__((always_inline)) typename S::Vec add_leaf(const At& at, typename S::Vec* low) {
  typename S::Vec twos_a, twos_b, fours_a, fours_b, eights_a, eights_b, sixteens;
  S::full_add(twos_a, low[0], at(0), at(1));
  S::full_add(twos_b, low[0], at(2), at(3));
  S::full_add(fours_a, low[1], twos_a, twos_b);
  S::full_add(twos_a, low[0], at(4), at(5));
  S::full_add(twos_b, low[0], at(6), at(7));
  S::full_add(fours_b, low[1], twos_a, twos_b);
  S::full_add(eights_a, low[2], fours_a, fours_b);
  S::full_add(twos_a, low[0], at(8), at(9));
  S::full_add(twos_b, low[0], at(10), at(11));
  S::full_add(fours_a, low[1], twos_a, twos_b);
  S::full_add(twos_a, low[0], at(12), at(13));
  S::full_add(twos_b, low[0], at(14), at(15));
  S::full_add(fours_b, low[1], twos_a, twos_b);
  S::full_add(eights_b, low[2], fours_a, fours_b);
  S::full_add(sixteens, low[3], eights_a, eights_b);
  return sixteens;
}

}  // namespace
}  // namespace scvet::sketch
