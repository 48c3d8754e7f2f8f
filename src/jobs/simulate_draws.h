// Distributions over the project's own streams, for simulations. Private to jobs.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "scvet/base/random.h"

namespace scvet::jobs::draws {

// The stream of one thing of one purpose, so that one part's draws never depend on another's length.
inline Stream stream_for(std::uint64_t seed, std::uint64_t purpose, std::uint64_t index) {
  return Stream(stream_key(stream_key(seed, purpose), index + 1));
}

inline double normal(Stream& stream) {  // Box-Muller, first of the pair
  const double u = 1.0 - stream.unit();
  return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * stream.unit());
}

// Poisson by inversion for small rates, by a rounded normal for large ones.
inline std::uint32_t poisson(Stream& stream, double rate) {
  if (rate > 60) return static_cast<std::uint32_t>(std::max(0.0, std::round(rate + std::sqrt(rate) * normal(stream))));
  double u = stream.unit(), term = std::exp(-rate);
  std::uint32_t count = 0;
  while (u > term && count < 400) {
    u -= term;
    term *= rate / ++count;
  }
  return count;
}

}  // namespace scvet::jobs::draws
