// Rank correlation.
#pragma once

#include <cstdint>
#include <span>

namespace scvet::numeric {

// Spearman's rho of two orders of the same n things without ties: position[i] is the place, in the second order, of the
// thing at place i of the first; a permutation of 0..n-1. NaN for fewer than two.
double spearman(std::span<const std::uint32_t> position);

}  // namespace scvet::numeric
