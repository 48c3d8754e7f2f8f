// Neighbour lists kept under the digest of the coordinates they belong to.
#pragma once

#include <cstdint>
#include <string>

#include "scvet/base/matrix_view.h"
#include "scvet/graph/neighbours.h"

namespace scvet::jobs {

// graph::exact_neighbours(x, k), from `folder`/<digest of x and k>.nn where it lies there unharmed, else computed and
// put there. "": no cache. A file holds the indices (4 bytes each) and its own digest; distances are computed again.
graph::Neighbours cached_neighbours(const std::string& folder, MatrixView<const float> x, std::int64_t k);

}  // namespace scvet::jobs
