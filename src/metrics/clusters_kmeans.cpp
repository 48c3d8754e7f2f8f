#include "scvet/metrics/clusters.h"
#include "scvet/numeric/kmeans.h"

namespace scvet::metrics {

Clustering kmeans_clusters(MatrixView<const float> x, const Groups& labels, std::uint64_t seed) {
  numeric::KMeans found = numeric::kmeans(x, labels.size(), {.seed = seed});
  return {.cluster = std::move(found.cluster),
          .n_clusters = found.n_clusters,
          .note = "",
          .inertia = found.inertia,
          .scanned = {}};
}

}  // namespace scvet::metrics
