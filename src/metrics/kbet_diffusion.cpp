#include "kbet_diffusion.h"

#include <cmath>

#include "scvet/base/error.h"
#include "scvet/numeric/leading_eigen.h"

namespace scvet::metrics {
namespace {

constexpr double kTrivial = 1e-6;  // |1 - lambda| below which a pair only tells connected parts apart

// Of each row: sum of scale[row] * weight * scale[column]; a column's too, as the graph is symmetric.
std::vector<double> scaled_sums(const graph::WeightedGraph& graph, const std::vector<double>& scale) {
  std::vector<double> sums(scale.size(), 0.0);
  for (std::size_t row = 0; row < sums.size(); ++row) {
    for (auto at = static_cast<std::size_t>(graph.indptr[row]); at < static_cast<std::size_t>(graph.indptr[row + 1]);
         ++at)
      sums[row] += static_cast<double>(graph.weights[at]) * scale[graph.cells[at]];
    sums[row] *= scale[row];
  }
  return sums;
}

// Entries of the matrix, in the graph's order: S_ij / (q_i q_j z_i z_j).
std::vector<double> diffusion_matrix(const graph::WeightedGraph& graph) {
  std::vector<double> scale(static_cast<std::size_t>(graph.n_cells), 1.0);
  const std::vector<double> density = scaled_sums(graph, scale);
  for (std::size_t cell = 0; cell < scale.size(); ++cell) scale[cell] = 1 / density[cell];
  const std::vector<double> column = scaled_sums(graph, scale);
  for (std::size_t cell = 0; cell < scale.size(); ++cell) scale[cell] /= std::sqrt(column[cell]);

  std::vector<double> entries;
  entries.reserve(graph.weights.size());
  for (std::size_t row = 0; row < scale.size(); ++row)
    for (auto at = static_cast<std::size_t>(graph.indptr[row]); at < static_cast<std::size_t>(graph.indptr[row + 1]);
         ++at) {
      entries.push_back(static_cast<double>(graph.weights[at]) * (scale[row] * scale[graph.cells[at]]));
      if (!std::isfinite(entries.back())) throw InternalError("diffusion: a weight of the graph is not a number");
    }
  return entries;
}

}  // namespace

std::vector<double> diffusion_coordinates(const graph::WeightedGraph& graph, std::int64_t n_components) {
  const std::vector<double> entries = diffusion_matrix(graph);
  const auto product = [&](std::span<const double> x, std::span<double> y) {
    for (std::size_t row = 0; row < y.size(); ++row) {
      double sum = 0;
      for (auto at = static_cast<std::size_t>(graph.indptr[row]); at < static_cast<std::size_t>(graph.indptr[row + 1]);
           ++at)
        sum += entries[at] * x[graph.cells[at]];
      y[row] = sum;
    }
  };
  const numeric::Eigen pairs =
      numeric::leading_eigen(graph.n_cells, product, n_components, numeric::Leading::kLargestMagnitude);
  const auto n_cells = static_cast<std::size_t>(graph.n_cells), n_pairs = pairs.values.size();
  std::vector<double> coordinates(n_cells * n_pairs);
  for (std::size_t pair = 0; pair < n_pairs; ++pair) {
    const double lambda = pairs.values[pair];
    const double factor = std::fabs(1 - lambda) < kTrivial ? 1 : lambda / (1 - lambda);
    for (std::size_t cell = 0; cell < n_cells; ++cell)
      coordinates[cell * n_pairs + pair] = pairs.vectors[pair * n_cells + cell] * factor;
  }
  return coordinates;
}

}  // namespace scvet::metrics
