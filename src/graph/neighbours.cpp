#include "scvet/graph/neighbours.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "distinct_rows.h"
#include "found.h"
#include "neighbour_kernel.h"
#include "neighbour_search.h"
#include "scvet/base/error.h"
#include "scvet/base/parallel.h"

namespace scvet::graph {
namespace {

constexpr std::int64_t kRowsPerTask = 64;

template <class T>
void require_finite(MatrixView<const T> x, const char* what) {
  for (std::int64_t row = 0; row < x.rows; ++row)
    for (const T value : x.row_span(row))
      if (!std::isfinite(value))
        throw InternalError(std::string(what) + ": row " + std::to_string(row) + " has a value that is not finite");
}

// Every distance, for coordinates whose squares leave the range of float64.
template <class T>
Neighbours plain_search(MatrixView<const T> queries, MatrixView<const T> references, std::int64_t k, bool self) {
  const NeighbourKernel& kernel = neighbour_kernel(simd_target());
  Neighbours found;
  found.n_cells = queries.rows;
  found.k = k;
  found.cells.resize(static_cast<std::size_t>(found.n_cells * k));
  found.distances.resize(found.cells.size());
  parallel_for((queries.rows + kRowsPerTask - 1) / kRowsPerTask, [&](std::int64_t task, int) {
    std::vector<std::uint32_t> cells(static_cast<std::size_t>(references.rows));
    std::iota(cells.begin(), cells.end(), 0u);
    std::vector<double> distances(cells.size());
    std::vector<Found> all(cells.size());
    for (std::int64_t row = task * kRowsPerTask; row < std::min(queries.rows, (task + 1) * kRowsPerTask); ++row) {
      kernel.exact(queries.row(row), references, cells.data(), references.rows, distances.data());
      for (std::size_t other = 0; other < all.size(); ++other) all[other] = {distances[other], cells[other]};
      if (self) all[static_cast<std::size_t>(row)].distance = -1;
      std::partial_sort(all.begin(), all.begin() + k, all.end());
      for (std::int64_t at = 0; at < k; ++at) {
        found.cells[static_cast<std::size_t>(row * k + at)] = all[static_cast<std::size_t>(at)].cell;
        found.distances[static_cast<std::size_t>(row * k + at)] =
            std::max(all[static_cast<std::size_t>(at)].distance, 0.);
      }
    }
  });
  return found;
}

template <class T>
Neighbours search(MatrixView<const T> queries, MatrixView<const T> references, std::int64_t k, bool self) {
  bool fits = true;
  const Frame frame = frame_of(queries, references, fits);
  if (!fits) return plain_search(queries, references, k, self);
  return filtered_search(queries, references, frame, k, self, simd_target());
}

template <class T>
Neighbours neighbours(MatrixView<const T> x, std::int64_t k) {
  require_finite(x, "exact_neighbours");
  if (x.rows == 0) return {0, 1, {}, {}};
  k = std::clamp<std::int64_t>(k, 1, x.rows);
  const DistinctRows rows = distinct_rows(x);
  if (rows.count() == x.rows) return search(x, x, k, true);
  const std::vector<T> values = first_rows(x, rows);
  const MatrixView<const T> distinct(values.data(), rows.count(), x.cols);
  return lists_of_rows(search(distinct, distinct, std::min(k, rows.count()), true), rows, k, true);
}

}  // namespace

Neighbours exact_neighbours(MatrixView<const float> x, std::int64_t k) { return neighbours(x, k); }
Neighbours exact_neighbours(MatrixView<const double> x, std::int64_t k) { return neighbours(x, k); }

Neighbours nearest_references(MatrixView<const float> queries, MatrixView<const float> references, std::int64_t k) {
  if (references.rows == 0) throw InternalError("nearest_references: there are no references");
  if (queries.cols != references.cols)
    throw InternalError("nearest_references: queries and references differ in columns");
  require_finite(queries, "nearest_references, queries");
  require_finite(references, "nearest_references, references");
  k = std::clamp<std::int64_t>(k, 1, references.rows);
  if (queries.rows == 0) return {0, k, {}, {}};
  const DistinctRows rows = distinct_rows(references);
  if (rows.count() == references.rows) return search(queries, references, k, false);
  const std::vector<float> values = first_rows(references, rows);
  const MatrixView<const float> distinct(values.data(), rows.count(), references.cols);
  return lists_of_rows(search(queries, distinct, std::min(k, rows.count()), false), rows, k, false);
}

}  // namespace scvet::graph
