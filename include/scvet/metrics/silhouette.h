// Silhouette values (Rousseeuw 1987, doi:10.1016/0377-0427(87)90125-7), Euclidean, over all pairs of cells.
#pragma once

#include <vector>

#include "scvet/base/matrix_view.h"
#include "scvet/data/groups.h"

namespace scvet::metrics {

// (b - a) / max(a, b) of each cell, in [-1, 1]: a = mean distance to the other cells of its label, b = smallest mean
// distance to the cells of another label. A cell alone in its label scores 0, and so does 0/0. A cell without a label is
// left out and NaN; with fewer than two labels all are. Distances come from differences in float64; none is stored, only
// 8 bytes a cell and label. O(cells^2 * dimensions); the same bytes for any number of workers.
std::vector<double> silhouettes(MatrixView<const float> x, const Groups& labels);

}  // namespace scvet::metrics
