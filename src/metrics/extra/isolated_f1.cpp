// Clusters and the labels that few batches have: is there a cluster of that label alone?
#include <algorithm>
#include <vector>

#include "batch_input.h"
#include "isolated_labels.h"

namespace scvet::metrics {
namespace {

// Largest 2 n_lk / (n_l + n_k) over the clusters k, for each label l.
std::vector<double> best_f1(const MetricInput& input) {
  const auto n_labels = static_cast<std::size_t>(input.labels->size());
  const auto n_clusters = static_cast<std::size_t>(*std::max_element(input.clusters.begin(), input.clusters.end())) + 1;
  std::vector<double> both(n_labels * n_clusters, 0.0), of_label(n_labels, 0.0), of_cluster(n_clusters, 0.0);
  for (std::size_t cell = 0; cell < input.clusters.size(); ++cell) {
    const auto label = static_cast<std::size_t>(input.labels->of_cell[cell]);
    const auto cluster = static_cast<std::size_t>(input.clusters[cell]);
    ++both[label * n_clusters + cluster];
    ++of_label[label];
    ++of_cluster[cluster];
  }
  std::vector<double> best(n_labels, 0.0);
  for (std::size_t label = 0; label < n_labels; ++label)
    for (std::size_t cluster = 0; cluster < n_clusters; ++cluster)
      best[label] =
          std::max(best[label], 2 * both[label * n_clusters + cluster] / (of_label[label] + of_cluster[cluster]));
  return best;
}

MetricValue compute(const MetricInput& input) {
  if (const std::string undefined = batches_undefined(input); !undefined.empty()) return {.note = undefined};
  return mean_of_isolated(isolated_labels(input), best_f1(input));
}

}  // namespace

extern const MetricRecord isolated_f1_metric = {
    .name = "isolated_f1",
    .label = "F1 of isolated labels with their best cluster",
    .source = "Luecken et al. 2022, doi:10.1038/s41592-021-01336-8",
    .group = "extra",
    .family = "",
    .order = 1,
    .least = 0,
    .most = 1,
    .chance = "About 2 p / (1 + p) for a label of share p: one cluster of all cells reaches that.",
    .undefined = "Fewer than two batches.",
    .version = "1",
    .needs = kNeedsBatches | kNeedsClusters,
    .compute = compute,
};

}  // namespace scvet::metrics
