#include "distinct_rows.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <type_traits>

#include "scvet/base/parallel.h"
#include "scvet/base/random.h"

namespace scvet::graph {
namespace {

constexpr std::int64_t kRowsPerTask = 256;

template <class T>
std::uint64_t hash_of(MatrixView<const T> x, std::int64_t row) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  Fold fold(kTagOrder, static_cast<std::uint64_t>(x.cols));
  for (const T value : x.row_span(row)) fold.add(std::bit_cast<Bits>(value + T{0}));  // -0 + 0 is 0
  return fold.value();
}

template <class T>
bool equal_rows(MatrixView<const T> x, std::uint32_t a, std::uint32_t b) {
  return std::equal(x.row(a), x.row(a) + x.cols, x.row(b));
}

// Of each row the first row equal to it. Rows of one hash are compared: the hash alone decides nothing.
template <class T>
std::vector<std::uint32_t> first_equals(MatrixView<const T> x) {
  std::vector<std::uint64_t> hash(static_cast<std::size_t>(x.rows));
  parallel_for((x.rows + kRowsPerTask - 1) / kRowsPerTask, [&](std::int64_t task, int) {
    for (std::int64_t row = task * kRowsPerTask; row < std::min(x.rows, (task + 1) * kRowsPerTask); ++row)
      hash[static_cast<std::size_t>(row)] = hash_of(x, row);
  });
  std::vector<std::uint32_t> order(hash.size()), first(hash.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return hash[a] != hash[b] ? hash[a] < hash[b] : a < b; });
  std::vector<std::uint32_t> representatives;  // of the hash at hand
  for (std::size_t at = 0; at < order.size(); ++at) {
    const std::uint32_t row = order[at];
    if (at == 0 || hash[order[at - 1]] != hash[row]) representatives.clear();
    const auto same = std::find_if(representatives.begin(), representatives.end(),
                                   [&](std::uint32_t other) { return equal_rows(x, other, row); });
    first[row] = same == representatives.end() ? row : *same;
    if (same == representatives.end()) representatives.push_back(row);
  }
  return first;
}

}  // namespace

template <class T>
DistinctRows distinct_rows(MatrixView<const T> x) {
  const std::vector<std::uint32_t> first = first_equals(x);
  DistinctRows rows;
  rows.group.resize(first.size());
  rows.indptr.push_back(0);
  for (std::size_t row = 0; row < first.size(); ++row) {
    if (first[row] == row) {
      rows.group[row] = static_cast<std::uint32_t>(rows.indptr.size() - 1);
      rows.indptr.push_back(0);
    } else {
      rows.group[row] = rows.group[first[row]];
    }
    ++rows.indptr[rows.group[row] + 1];
  }
  std::partial_sum(rows.indptr.begin(), rows.indptr.end(), rows.indptr.begin());
  std::vector<std::int64_t> next(rows.indptr.begin(), rows.indptr.end() - 1);
  rows.members.resize(first.size());
  for (std::size_t row = 0; row < first.size(); ++row)
    rows.members[static_cast<std::size_t>(next[rows.group[row]]++)] = static_cast<std::uint32_t>(row);
  return rows;
}

template <class T>
std::vector<T> first_rows(MatrixView<const T> x, const DistinctRows& rows) {
  std::vector<T> values;
  values.reserve(static_cast<std::size_t>(rows.count() * x.cols));
  for (std::int64_t group = 0; group < rows.count(); ++group) {
    const T* const row = x.row(rows.members[static_cast<std::size_t>(rows.indptr[static_cast<std::size_t>(group)])]);
    values.insert(values.end(), row, row + x.cols);
  }
  return values;
}

Neighbours lists_of_rows(const Neighbours& groups, const DistinctRows& rows, std::int64_t k, bool self) {
  Neighbours lists;
  lists.n_cells = self ? static_cast<std::int64_t>(rows.group.size()) : groups.n_cells;
  lists.k = k;
  lists.cells.resize(static_cast<std::size_t>(lists.n_cells * k));
  lists.distances.resize(lists.cells.size());
  parallel_for((lists.n_cells + kRowsPerTask - 1) / kRowsPerTask, [&](std::int64_t task, int) {
    std::vector<std::uint32_t> tied;
    for (std::int64_t row = task * kRowsPerTask; row < std::min(lists.n_cells, (task + 1) * kRowsPerTask); ++row) {
      const std::int64_t query = self ? rows.group[static_cast<std::size_t>(row)] : row;
      const auto group = groups.list(query);
      const auto distance = groups.list_distances(query);
      auto to = static_cast<std::size_t>(row * k);
      const std::size_t end = to + static_cast<std::size_t>(k);
      if (self) lists.cells[to++] = static_cast<std::uint32_t>(row);
      for (std::size_t at = 0, next = 0; at < group.size() && to < end; at = next) {
        tied.clear();  // the members of all groups at one distance
        for (; next < group.size() && distance[next] == distance[at]; ++next)
          tied.insert(tied.end(), rows.members.begin() + rows.indptr[group[next]],
                      rows.members.begin() + rows.indptr[group[next] + 1]);
        if (self) std::erase(tied, static_cast<std::uint32_t>(row));
        const std::size_t taken = std::min(end - to, tied.size());
        std::partial_sort(tied.begin(), tied.begin() + static_cast<std::ptrdiff_t>(taken), tied.end());
        for (std::size_t one = 0; one < taken; ++one, ++to) {
          lists.cells[to] = tied[one];
          lists.distances[to] = distance[at];
        }
      }
    }
  });
  return lists;
}

template DistinctRows distinct_rows(MatrixView<const float>);
template DistinctRows distinct_rows(MatrixView<const double>);
template std::vector<float> first_rows(MatrixView<const float>, const DistinctRows&);
template std::vector<double> first_rows(MatrixView<const double>, const DistinctRows&);

}  // namespace scvet::graph
