#include "agreement.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace scvet::metrics {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double entropy(std::span<const std::int64_t> counts, std::int64_t n_cells) {
  const auto n = static_cast<double>(n_cells);
  double sum = 0;
  for (const std::int64_t count : counts)
    if (count > 0) sum -= static_cast<double>(count) / n * std::log(static_cast<double>(count) / n);
  return std::max(sum, 0.0);  // not -0 for one group
}

double mutual_information(const Contingency& table) {
  const auto n = static_cast<double>(table.n_cells);
  double sum = 0;
  for (std::size_t label = 0; label < table.labels.size(); ++label)
    for (std::size_t cluster = 0; cluster < table.clusters.size(); ++cluster) {
      const auto both = static_cast<double>(table.cells[label * table.clusters.size() + cluster]);
      if (both > 0)
        sum += both / n *
               std::log(both / static_cast<double>(table.labels[label]) *
                        (n / static_cast<double>(table.clusters[cluster])));
    }
  return std::max(sum, 0.0);
}

bool one_group(std::span<const std::int64_t> counts) {
  return std::count_if(counts.begin(), counts.end(), [](std::int64_t count) { return count > 0; }) == 1;
}

// Ordered pairs of cells that share a group: sum of count^2 - n.
double pairs(std::span<const std::int64_t> counts) {
  double sum = 0;
  for (const std::int64_t count : counts) sum += static_cast<double>(count) * static_cast<double>(count - 1);
  return sum;
}

}  // namespace

Contingency contingency(const Groups& labels, std::span<const std::int32_t> clusters) {
  Contingency table;
  for (const std::int32_t cluster : clusters) table.n_clusters = std::max<std::int64_t>(table.n_clusters, cluster + 1);
  table.labels.resize(labels.names.size());
  table.clusters.resize(static_cast<std::size_t>(table.n_clusters));
  table.cells.resize(table.labels.size() * table.clusters.size());
  for (std::size_t cell = 0; cell < clusters.size(); ++cell) {
    const auto label = static_cast<std::size_t>(labels.of_cell[cell]),
               cluster = static_cast<std::size_t>(clusters[cell]);
    ++table.labels[label];
    ++table.clusters[cluster];
    ++table.cells[label * table.clusters.size() + cluster];
    ++table.n_cells;
  }
  return table;
}

double nmi(const Contingency& table) {
  if (table.n_cells == 0) return kNaN;
  if (one_group(table.labels) && one_group(table.clusters)) return 1;
  const double information = mutual_information(table);
  if (information <= std::numeric_limits<double>::epsilon()) return 0;
  return 2 * information / (entropy(table.labels, table.n_cells) + entropy(table.clusters, table.n_cells));
}

double homogeneity(const Contingency& table) {
  if (table.n_cells == 0) return kNaN;
  return one_group(table.labels) ? 1 : mutual_information(table) / entropy(table.labels, table.n_cells);
}

double completeness(const Contingency& table) {
  if (table.n_cells == 0) return kNaN;
  return one_group(table.clusters) ? 1 : mutual_information(table) / entropy(table.clusters, table.n_cells);
}

double fowlkes_mallows(const Contingency& table) {
  if (table.n_cells == 0) return kNaN;
  const double both = pairs(table.cells);
  return both == 0 ? 0 : std::sqrt(both / pairs(table.clusters)) * std::sqrt(both / pairs(table.labels));
}

double adjusted_rand(const Contingency& table) {
  if (table.n_cells == 0) return kNaN;
  const double both = pairs(table.cells), only_labels = pairs(table.labels) - both,
               only_clusters = pairs(table.clusters) - both;
  if (only_labels == 0 && only_clusters == 0) return 1;
  const auto n = static_cast<double>(table.n_cells);
  const double neither = n * (n - 1) - both - only_labels - only_clusters;
  return 2 * (both * neither - only_labels * only_clusters) /
         ((both + only_labels) * (only_labels + neither) + (both + only_clusters) * (only_clusters + neither));
}

MetricValue agreement(const MetricInput& input, double (*score)(const Contingency& table)) {
  if (input.labels->of_cell.empty()) return {.note = "insufficient_cells"};
  if (input.clusters.size() != input.labels->of_cell.size()) return {.note = "no_clusters"};
  return {.value = score(contingency(*input.labels, input.clusters))};
}

}  // namespace scvet::metrics
