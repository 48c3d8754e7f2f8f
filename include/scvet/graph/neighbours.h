// Exact nearest neighbours under the Euclidean distance: the same lists on every processor and any number of workers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scvet/base/matrix_view.h"

namespace scvet::graph {

// k entries a cell, ascending by (distance, index). Distances are those of the coordinates as they are given, computed
// in float64; equal rows have distance exactly 0.
struct Neighbours {
  std::int64_t n_cells = 0, k = 0;
  std::vector<std::uint32_t> cells;  // n_cells x k
  std::vector<double> distances;     // n_cells x k

  std::span<const std::uint32_t> list(std::int64_t cell) const {
    return {cells.data() + cell * k, static_cast<std::size_t>(k)};
  }
  std::span<const double> list_distances(std::int64_t cell) const {
    return {distances.data() + cell * k, static_cast<std::size_t>(k)};
  }
};

// Lists that begin with the cell itself (distance 0), before others at distance 0. k is clamped to [1, rows of x].
Neighbours exact_neighbours(MatrixView<const float> x, std::int64_t k);
Neighbours exact_neighbours(MatrixView<const double> x, std::int64_t k);
// Of each query row the nearest rows of `references`; k is clamped to [1, rows of references].
Neighbours nearest_references(MatrixView<const float> queries, MatrixView<const float> references, std::int64_t k);

}  // namespace scvet::graph
