// Neighbour lists by a full sort, and small inputs, shared by the tests of the module.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "scvet/base/random.h"
#include "scvet/data/groups.h"
#include "scvet/graph/neighbours.h"

namespace scvet::metrics::testing {

inline double distance(MatrixView<const float> x, std::int64_t a, std::int64_t b) {
  double sum = 0;
  for (std::int64_t col = 0; col < x.cols; ++col) {
    const double difference = static_cast<double>(x(a, col)) - static_cast<double>(x(b, col));
    sum += difference * difference;
  }
  return std::sqrt(sum);
}

// Self first, then by (distance, index), as graph::exact_neighbours promises.
inline graph::Neighbours naive_neighbours(MatrixView<const float> x, std::int64_t k) {
  graph::Neighbours found;
  found.n_cells = x.rows;
  found.k = std::clamp<std::int64_t>(k, 1, x.rows);
  for (std::int64_t cell = 0; cell < x.rows; ++cell) {
    std::vector<std::tuple<bool, double, std::int64_t>> others;
    for (std::int64_t other = 0; other < x.rows; ++other)
      others.emplace_back(other != cell, distance(x, cell, other), other);
    std::sort(others.begin(), others.end());
    for (std::int64_t at = 0; at < found.k; ++at) {
      const auto& [is_other, value, index] = others[static_cast<std::size_t>(at)];
      found.cells.push_back(static_cast<std::uint32_t>(index));
      found.distances.push_back(value);
    }
  }
  return found;
}

inline double normal(Stream& stream) {
  return std::sqrt(-2 * std::log(1 - stream.unit())) * std::cos(2 * 3.14159265358979323846 * stream.unit());
}

// Cells x dimensions with groups: cell i is of label i % n_labels, whose centre has coordinate `spread` in dimension
// label % n_dims, plus unit normal noise.
struct Cloud {
  std::vector<float> values;
  MatrixView<const float> x;
  Groups labels;

  Cloud(std::int64_t n_cells, std::int64_t n_dims, std::int32_t n_labels, double spread, std::uint64_t seed) {
    Stream stream(seed);
    std::vector<std::string> texts;
    for (std::int64_t cell = 0; cell < n_cells; ++cell) {
      const std::int64_t label = cell % n_labels;
      texts.push_back(std::string(1, static_cast<char>('a' + label)));
      for (std::int64_t col = 0; col < n_dims; ++col)
        values.push_back(static_cast<float>(normal(stream) + (col == label % n_dims ? spread : 0)));
    }
    x = {values.data(), n_cells, n_dims};
    labels = make_groups(texts);
  }
  Cloud(const Cloud&) = delete;  // x views values
};

}  // namespace scvet::metrics::testing
