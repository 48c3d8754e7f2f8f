// Normal numbers that a cell's name and a seed decide, whatever the cell's place in the file.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
#include <string_view>

#include "scvet/base/random.h"
#include "scvet/numeric/exact_log.h"

namespace scvet::embed {

// Independent N(0, 1), in pairs by the method of Box and Muller (doi:10.1214/aoms/1177706645).
inline void normal_numbers(std::string_view cell_name, std::uint64_t seed, std::span<double> numbers) {
  Stream stream(stream_key(seed, fnv1a_64(cell_name)));
  for (std::size_t at = 0; at < numbers.size(); at += 2) {
    const double u = 1 - stream.unit(), turn = 2 * std::numbers::pi * stream.unit();
    const double length = std::sqrt(-2 * numeric::exact_log(u));
    numbers[at] = length * std::cos(turn);
    if (at + 1 < numbers.size()) numbers[at + 1] = length * std::sin(turn);
  }
}

}  // namespace scvet::embed
