// K-means: greedy k-means++ (Arthur and Vassilvitskii 2007; Grunau et al. 2023, doi:10.1137/1.9781611977554.ch10), then
// Lloyd's iterations (1982, doi:10.1109/TIT.1982.1056489).
#pragma once

#include <cstdint>
#include <vector>

#include "scvet/base/matrix_view.h"

namespace scvet::numeric {

struct KMeansOptions {
  int restarts = 10;
  int iterations = 300;     // at most, a restart
  double tolerance = 1e-4;  // stop when the squared shifts of all centres sum to this times the mean column variance
  std::uint64_t seed = 1;
};

struct KMeans {
  std::int32_t n_clusters = 0;        // as asked for, fewer only where there are fewer distinct rows
  std::vector<std::int32_t> cluster;  // of each row, numbered by size (largest first), then by first row
  std::vector<double> centres;        // n_clusters x columns
  double inertia = 0;                 // sum of squared distances to the own centre, the least of the restarts
};

// k is clamped to [1, rows]. The same bytes for any number of workers and on every SIMD target. Rows whose centre cannot
// have changed, by the triangle inequality (Hamerly 2010, doi:10.1137/1.9781611972801.12), are not looked at: the result
// is that of plain iterations but for ties and rounding.
KMeans kmeans(MatrixView<const float> x, std::int32_t k, const KMeansOptions& options = {});

}  // namespace scvet::numeric
