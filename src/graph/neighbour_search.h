// Exact nearest neighbours through a float32 filter: what the kernel's products cannot rule out is measured in float64.
#pragma once

#include <cstdint>

#include "packed_rows.h"
#include "scvet/base/cpu.h"
#include "scvet/graph/neighbours.h"

namespace scvet::graph {

constexpr std::int64_t kListBytes = std::int64_t{1} << 29;

// k within [1, rows of references]. `self`: queries and references are the same rows, and each list begins with its own
// row. The lists are the same for every target. Where the candidates of all queries fit `list_bytes`, each product of
// such a search serves both of its rows; else a few queries at a time are searched for.
template <class T>
Neighbours filtered_search(MatrixView<const T> queries, MatrixView<const T> references, const Frame& frame,
                           std::int64_t k, bool self, SimdTarget target, std::int64_t list_bytes = kListBytes);

}  // namespace scvet::graph
