#include "scvet/numeric/kmeans.h"

#include <algorithm>
#include <numeric>

#include "kmeans_lloyd.h"
#include "kmeans_seeds.h"
#include "scvet/base/parallel.h"

namespace scvet::numeric {
namespace {

double mean_column_variance(MatrixView<const float> x) {
  const auto n = static_cast<double>(x.rows);
  std::vector<double> mean(static_cast<std::size_t>(x.cols), 0.0), squares(mean);
  for (std::int64_t row = 0; row < x.rows; ++row)
    for (std::int64_t col = 0; col < x.cols; ++col)
      mean[static_cast<std::size_t>(col)] += static_cast<double>(x(row, col)) / n;
  for (std::int64_t row = 0; row < x.rows; ++row)
    for (std::int64_t col = 0; col < x.cols; ++col) {
      const double difference = static_cast<double>(x(row, col)) - mean[static_cast<std::size_t>(col)];
      squares[static_cast<std::size_t>(col)] += difference * difference;
    }
  return std::accumulate(squares.begin(), squares.end(), 0.0) / n / static_cast<double>(x.cols);
}

// Largest first, equal ones by their first row; centres without a row are left out.
KMeans renumber(const Lloyd& best, std::int64_t k, std::int64_t n_cols) {
  std::vector<std::int64_t> size(static_cast<std::size_t>(k), 0), first(size);
  for (std::size_t row = best.cluster.size(); row-- > 0;) {
    ++size[static_cast<std::size_t>(best.cluster[row])];
    first[static_cast<std::size_t>(best.cluster[row])] = static_cast<std::int64_t>(row);
  }
  std::vector<std::int32_t> order;
  for (std::int32_t at = 0; at < k; ++at)
    if (size[static_cast<std::size_t>(at)] > 0) order.push_back(at);
  std::sort(order.begin(), order.end(), [&](std::int32_t a_at, std::int32_t b_at) {
    const auto a = static_cast<std::size_t>(a_at), b = static_cast<std::size_t>(b_at);
    return size[a] != size[b] ? size[a] > size[b] : first[a] < first[b];
  });
  KMeans found;
  found.n_clusters = static_cast<std::int32_t>(order.size());
  found.inertia = best.inertia;
  std::vector<std::int32_t> number(static_cast<std::size_t>(k), -1);
  for (std::int32_t at = 0; const std::int32_t old : order) {
    number[static_cast<std::size_t>(old)] = at++;
    found.centres.insert(found.centres.end(), best.centres.begin() + old * n_cols,
                         best.centres.begin() + (old + 1) * n_cols);
  }
  for (const std::int32_t old : best.cluster) found.cluster.push_back(number[static_cast<std::size_t>(old)]);
  return found;
}

}  // namespace

KMeans kmeans(MatrixView<const float> x, std::int32_t k_asked, const KMeansOptions& options) {
  if (x.rows == 0) return {};
  const std::int64_t k = std::clamp<std::int64_t>(k_asked, 1, x.rows);
  const auto seeds = kmeans_seeds(x, k, options.restarts, options.seed);
  const double tolerance = options.tolerance * mean_column_variance(x);
  std::vector<Lloyd> runs(seeds.size());
  parallel_for(std::ssize(seeds), [&](std::int64_t restart, int) {
    const auto at = static_cast<std::size_t>(restart);
    runs[at] = lloyd(x, seeds[at], options.iterations, tolerance);
  });
  const auto best =
      std::min_element(runs.begin(), runs.end(), [](const Lloyd& a, const Lloyd& b) { return a.inertia < b.inertia; });
  return renumber(*best, k, x.cols);
}

}  // namespace scvet::numeric
