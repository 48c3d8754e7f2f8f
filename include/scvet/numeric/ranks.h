// Ranks and rank correlation.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace scvet::numeric {

// Spearman's rho of two orders of the same n things without ties: position[i] is the place, in the second order, of the
// thing at place i of the first; a permutation of 0..n-1. NaN for fewer than two.
double spearman(std::span<const std::uint32_t> position);

// Ranks from 1; equal values share the mean of their ranks. NaN is not a value: InternalError.
std::vector<double> average_ranks(std::span<const double> values);

// Spearman's rho: Pearson's of the average ranks. NaN where one side is constant.
double spearman(std::span<const double> a, std::span<const double> b);

// Of a and b with `given` held fixed: (r_ab - r_ag r_bg) / sqrt((1 - r_ag^2)(1 - r_bg^2)) of Spearman's rhos. NaN where
// one is constant or ordered exactly as `given` is.
double partial_spearman(std::span<const double> a, std::span<const double> b, std::span<const double> given);

}  // namespace scvet::numeric
