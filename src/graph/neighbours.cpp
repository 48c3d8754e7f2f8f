#include "scvet/graph/neighbours.h"

#include <algorithm>
#include <cmath>

#include "scvet/base/error.h"
#include "scvet/base/parallel.h"

namespace scvet::graph {
namespace {

constexpr std::int64_t kRowsPerTask = 64;

struct Candidate {
  double distance;
  std::uint32_t cell;
  bool operator<(const Candidate& other) const {
    return distance != other.distance ? distance < other.distance : cell < other.cell;
  }
};

template <class T>
double distance_between(const T* left, const T* right, std::int64_t n_dims) {
  double sum = 0;
  for (std::int64_t at = 0; at < n_dims; ++at) {
    const double difference = static_cast<double>(left[at]) - static_cast<double>(right[at]);
    sum += difference * difference;
  }
  return std::sqrt(sum);
}

template <class T>
Neighbours search(MatrixView<const T> queries, MatrixView<const T> references, std::int64_t k, bool self_first) {
  Neighbours found;
  found.n_cells = queries.rows;
  found.k = std::clamp<std::int64_t>(k, 1, std::max<std::int64_t>(references.rows, 1));
  found.cells.resize(static_cast<std::size_t>(found.n_cells * found.k));
  found.distances.resize(found.cells.size());
  parallel_for((queries.rows + kRowsPerTask - 1) / kRowsPerTask, [&](std::int64_t task, int) {
    std::vector<Candidate> candidates(static_cast<std::size_t>(references.rows));
    const std::int64_t end = std::min(queries.rows, (task + 1) * kRowsPerTask);
    for (std::int64_t row = task * kRowsPerTask; row < end; ++row) {
      for (std::int64_t other = 0; other < references.rows; ++other)
        candidates[static_cast<std::size_t>(other)] = {
            distance_between(queries.row(row), references.row(other), queries.cols), static_cast<std::uint32_t>(other)};
      if (self_first) candidates[static_cast<std::size_t>(row)].distance = -1;
      std::partial_sort(candidates.begin(), candidates.begin() + found.k, candidates.end());
      for (std::int64_t at = 0; at < found.k; ++at) {
        const auto to = static_cast<std::size_t>(row * found.k + at);
        found.cells[to] = candidates[static_cast<std::size_t>(at)].cell;
        found.distances[to] = std::max(candidates[static_cast<std::size_t>(at)].distance, 0.);
      }
    }
  });
  return found;
}

}  // namespace

Neighbours exact_neighbours(MatrixView<const float> x, std::int64_t k) { return search(x, x, k, true); }
Neighbours exact_neighbours(MatrixView<const double> x, std::int64_t k) { return search(x, x, k, true); }

Neighbours nearest_references(MatrixView<const float> queries, MatrixView<const float> references, std::int64_t k) {
  if (references.rows == 0) throw InternalError("nearest_references: there are no references");
  if (queries.cols != references.cols)
    throw InternalError("nearest_references: queries and references differ in columns");
  return search(queries, references, k, false);
}

}  // namespace scvet::graph
