// An order of rows in which near rows are near each other, so that a search meets near rows first and can pass over the
// far ones. Only speed depends on it.
#pragma once

#include <cstdint>
#include <vector>

#include "scvet/base/matrix_view.h"

namespace scvet::graph {

// Divides the rows along the line between two that lie far apart, again and again, down to groups of `group_rows` (only
// the last of all can be smaller).
template <class T>
std::vector<std::uint32_t> spatial_order(MatrixView<const T> x, std::int64_t group_rows);

}  // namespace scvet::graph
