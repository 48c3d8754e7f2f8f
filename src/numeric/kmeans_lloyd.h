// Lloyd's iterations of one restart of K-means.
#pragma once

#include <cstdint>
#include <vector>

#include "scvet/base/matrix_view.h"

namespace scvet::numeric {

struct Lloyd {
  std::vector<std::int32_t> cluster;  // of each row, by the final centres; of equal distances the first centre
  std::vector<double> centres;        // k x columns
  double inertia = 0;
};

// From these rows as centres; stops when no row moves, when the squared shifts sum to at most `tolerance`, or after
// `iterations`. One thread.
Lloyd lloyd(MatrixView<const float> x, const std::vector<std::int64_t>& seeds, int iterations, double tolerance);

}  // namespace scvet::numeric
