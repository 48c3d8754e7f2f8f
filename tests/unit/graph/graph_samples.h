// Points, and the neighbours that a loop without any idea finds.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "scvet/base/random.h"
#include "scvet/graph/neighbours.h"

namespace scvet::graph {

template <class T>
struct Points {
  std::int64_t rows, cols;
  std::vector<T> values;
  MatrixView<const T> view() const { return {values.data(), rows, cols}; }
  T& at(std::int64_t row, std::int64_t col) { return values[static_cast<std::size_t>(row * cols + col)]; }
};

// Sums of three uniform numbers about `n_groups` centres.
template <class T>
Points<T> points(std::int64_t rows, std::int64_t cols, std::uint64_t seed, std::int64_t n_groups = 3) {
  Points<T> made{rows, cols, {}};
  for (std::int64_t row = 0; row < rows; ++row) {
    Stream noise(stream_key(seed, static_cast<std::uint64_t>(row) + 1));
    Stream centre(stream_key(seed + 77, static_cast<std::uint64_t>(row % n_groups)));
    for (std::int64_t col = 0; col < cols; ++col)
      made.values.push_back(static_cast<T>(4 * centre.unit() + noise.unit() + noise.unit() + noise.unit()));
  }
  return made;
}

template <class T>
Neighbours naive_neighbours(MatrixView<const T> queries, MatrixView<const T> references, std::int64_t k,
                            bool self_first) {
  Neighbours found{queries.rows, std::clamp<std::int64_t>(k, 1, references.rows), {}, {}};
  for (std::int64_t row = 0; row < queries.rows; ++row) {
    std::vector<double> distance;
    for (std::int64_t other = 0; other < references.rows; ++other) {
      double sum = 0;
      for (std::int64_t col = 0; col < queries.cols; ++col) {
        const double difference = static_cast<double>(queries(row, col)) - static_cast<double>(references(other, col));
        sum += difference * difference;
      }
      distance.push_back(std::sqrt(sum));
    }
    std::vector<std::uint32_t> order(distance.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      if (self_first && (a == row || b == row)) return a == row && b != row;
      return distance[a] < distance[b];
    });
    for (std::int64_t at = 0; at < found.k; ++at) {
      found.cells.push_back(order[static_cast<std::size_t>(at)]);
      found.distances.push_back(distance[order[static_cast<std::size_t>(at)]]);
    }
  }
  return found;
}

}  // namespace scvet::graph
