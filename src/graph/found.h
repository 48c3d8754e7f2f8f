// Entries of neighbour lists while they are searched for.
#pragma once

#include <cstdint>

namespace scvet::graph {

// Lists ascend.
struct Found {
  double distance;
  std::uint32_t cell;
  bool operator<(const Found& other) const {
    return distance != other.distance ? distance < other.distance : cell < other.cell;
  }
};

}  // namespace scvet::graph
