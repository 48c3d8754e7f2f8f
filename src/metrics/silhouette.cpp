#include "scvet/metrics/silhouette.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "label_distances.h"

namespace scvet::metrics {
namespace {

double silhouette(std::span<const double> sums, std::span<const std::int64_t> counts, std::size_t own) {
  if (counts[own] == 1) return 0;
  const double a = sums[own] / static_cast<double>(counts[own] - 1);
  double b = std::numeric_limits<double>::infinity();
  for (std::size_t label = 0; label < counts.size(); ++label)
    if (label != own && counts[label] > 0) b = std::min(b, sums[label] / static_cast<double>(counts[label]));
  const double most = std::max(a, b);
  return most > 0 ? (b - a) / most : 0;
}

}  // namespace

std::vector<double> silhouettes(MatrixView<const float> x, const Groups& labels) {
  std::vector<double> values(labels.of_cell.size(), std::numeric_limits<double>::quiet_NaN());
  const auto counts = labels.counts();
  if (std::count_if(counts.begin(), counts.end(), [](std::int64_t count) { return count > 0; }) < 2) return values;
  const std::vector<double> sums = label_distances(x, labels);
  for (std::size_t cell = 0; cell < values.size(); ++cell)
    if (labels.of_cell[cell] >= 0)
      values[cell] = silhouette({sums.data() + cell * counts.size(), counts.size()}, counts,
                                static_cast<std::size_t>(labels.of_cell[cell]));
  return values;
}

}  // namespace scvet::metrics
