// Sums of distances to the cells of each label: all that a silhouette needs of the n x n distances.
#pragma once

#include <vector>

#include "scvet/base/matrix_view.h"
#include "scvet/data/groups.h"

namespace scvet::metrics {

// sums[cell * labels + label] = sum of the Euclidean distances from the cell to the cells of the label. Cells without a
// label are left out on both sides. Every pair is computed once; each sum has its own fixed order.
std::vector<double> label_distances(MatrixView<const float> x, const Groups& labels);

}  // namespace scvet::metrics
