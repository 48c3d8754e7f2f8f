// X'X of a tall matrix.
#pragma once

#include <span>
#include <vector>

#include "scvet/base/matrix_view.h"

namespace scvet::numeric {

// (x - centre)'(x - centre), columns x columns, both halves filled. `centre`: one number a column, or empty for none.
// Each entry is summed in float64 over the rows in order: the same bytes for any number of workers.
std::vector<double> gram(MatrixView<const float> x, std::span<const double> centre = {});

// Mean of each column, summed in float64 over the rows in order. NaN without rows.
std::vector<double> column_means(MatrixView<const float> x);

}  // namespace scvet::numeric
