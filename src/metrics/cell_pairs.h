// Pairs of cells drawn as the peer draws them, from one numpy stream.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "scvet/data/groups.h"
#include "scvet/numeric/numpy_random.h"

namespace scvet::metrics {

using CellPair = std::pair<std::uint32_t, std::uint32_t>;

// `count` pairs of different cells of 0..n-1, n >= 2.
std::vector<CellPair> mixed_pairs(std::uint32_t n, std::size_t count, numeric::NumpyRandom& random);
// Pairs of different cells of one group, every group with at least two cells equally likely. Empty, and nothing drawn,
// where there is no such group.
std::vector<CellPair> within_pairs(const Groups& groups, std::size_t count, numeric::NumpyRandom& random);
// Pairs of cells of two different groups, every group equally likely. Empty, and nothing drawn, with fewer than two.
std::vector<CellPair> between_pairs(const Groups& groups, std::size_t count, numeric::NumpyRandom& random);

}  // namespace scvet::metrics
