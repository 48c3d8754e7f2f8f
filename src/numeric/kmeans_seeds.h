// First centres of K-means.
#pragma once

#include <cstdint>
#include <vector>

#include "scvet/base/matrix_view.h"

namespace scvet::numeric {

// k rows of x for each restart by greedy k-means++: of 2 + floor(ln k) candidates drawn in proportion to the squared
// distance from the nearest centre so far, the one that lowers the sum of these distances most. Restart r draws from
// stream_key(seed, 1 + r). Where no distance is left a row is drawn uniformly.
std::vector<std::vector<std::int64_t>> kmeans_seeds(MatrixView<const float> x, std::int64_t k, int restarts,
                                                    std::uint64_t seed);

}  // namespace scvet::numeric
