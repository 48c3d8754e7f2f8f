// Distances as the neighbour lists report them.
#pragma once

#include <cmath>
#include <cstdint>

#include "scvet/base/matrix_view.h"

namespace scvet::graph {

// One entry of a list; lists ascend.
struct Found {
  double distance;
  std::uint32_t cell;
  bool operator<(const Found& other) const {
    return distance != other.distance ? distance < other.distance : cell < other.cell;
  }
};

// Fills in the distances of `row` to the `found` cells: the root of the sum of squared differences in float64, dimension
// ascending. Eight sums at a time, which hides the latency of each and changes none.
template <class T>
void exact_distances(const T* row, MatrixView<const T> references, Found* found, std::int64_t count) {
  constexpr int kTogether = 8;
  for (std::int64_t first = 0; first < count; first += kTogether) {
    const T* other[kTogether];
    double sum[kTogether] = {};
    for (int at = 0; at < kTogether; ++at)
      other[at] = references.row(found[first + at < count ? first + at : first].cell);
    for (std::int64_t col = 0; col < references.cols; ++col) {
      const auto own = static_cast<double>(row[col]);
      for (int at = 0; at < kTogether; ++at) {
        const double difference = own - static_cast<double>(other[at][col]);
        sum[at] += difference * difference;
      }
    }
    for (int at = 0; at < kTogether && first + at < count; ++at) found[first + at].distance = std::sqrt(sum[at]);
  }
}

}  // namespace scvet::graph
