// Rows that are equal, found once: among equal rows only the index decides, which no filter can see.
#pragma once

#include <cstdint>
#include <vector>

#include "scvet/base/matrix_view.h"
#include "scvet/graph/neighbours.h"

namespace scvet::graph {

// Groups of equal rows (0 and -0 are equal), numbered in the order of their first rows.
struct DistinctRows {
  std::vector<std::uint32_t> group;    // of each row
  std::vector<std::int64_t> indptr;    // of each group, into members
  std::vector<std::uint32_t> members;  // ascending within a group

  std::int64_t count() const { return static_cast<std::int64_t>(indptr.size()) - 1; }
};
template <class T>
DistinctRows distinct_rows(MatrixView<const T> x);

// The first row of each group.
template <class T>
std::vector<T> first_rows(MatrixView<const T> x, const DistinctRows& rows);

// Lists of groups made lists of k rows: each query in turn takes the list groups.list(query). With `self` the queries are
// the rows themselves, whose lists are those of their groups, and each begins with its own row.
Neighbours lists_of_rows(const Neighbours& groups, const DistinctRows& rows, std::int64_t k, bool self);

}  // namespace scvet::graph
