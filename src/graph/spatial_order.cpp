#include "spatial_order.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "scvet/base/parallel.h"

namespace scvet::graph {
namespace {

constexpr std::size_t kSampleRows = 32;
constexpr int kLanes = 8;

// Eight partial sums, for speed: any rounding will do here.
template <class T>
T product(const T* a, const T* b, std::int64_t n) {
  T sum[kLanes] = {};
  std::int64_t at = 0;
  for (; at + kLanes <= n; at += kLanes)
    for (int lane = 0; lane < kLanes; ++lane) sum[lane] += a[at + lane] * b[at + lane];
  for (; at < n; ++at) sum[0] += a[at] * b[at];
  return std::accumulate(sum, sum + kLanes, T{0});
}

template <class T>
std::uint32_t farthest(MatrixView<const T> x, std::span<const std::uint32_t> sample, std::uint32_t from) {
  std::uint32_t best = from;
  T largest = 0;
  for (const std::uint32_t row : sample) {
    T square = 0;
    for (std::int64_t col = 0; col < x.cols; ++col) {
      const T difference = x(row, col) - x(from, col);
      square += difference * difference;
    }
    if (square > largest) {
      largest = square;
      best = row;
    }
  }
  return best;
}

// Divides the rows where, in the middle half of the line, they are farthest apart. Returns the size of the first part, a
// multiple of `group`.
template <class T>
std::size_t divide(MatrixView<const T> x, std::span<std::uint32_t> rows, std::size_t group) {
  std::vector<std::uint32_t> sample;
  const std::size_t step = std::max<std::size_t>(1, rows.size() / kSampleRows);
  for (std::size_t at = 0; at < rows.size(); at += step) sample.push_back(rows[at]);
  const std::uint32_t a = farthest(x, sample, sample.front()), b = farthest(x, sample, a);
  std::vector<T> direction(x.row(a), x.row(a) + x.cols);
  for (std::size_t col = 0; col < direction.size(); ++col) direction[col] -= x.row(b)[col];
  std::vector<std::pair<T, std::uint32_t>> along;
  along.reserve(rows.size());
  for (const std::uint32_t row : rows) along.emplace_back(product(direction.data(), x.row(row), x.cols), row);
  std::sort(along.begin(), along.end());
  for (std::size_t at = 0; at < rows.size(); ++at) rows[at] = along[at].second;
  std::size_t widest = rows.size() / 2;
  for (std::size_t at = rows.size() / 4; at < rows.size() - rows.size() / 4; ++at)
    if (at > 0 && along[at].first - along[at - 1].first > along[widest].first - along[widest - 1].first) widest = at;
  const std::size_t groups = (rows.size() + group - 1) / group;
  return std::clamp<std::size_t>((widest + group / 2) / group, 1, groups - 1) * group;
}

}  // namespace

template <class T>
std::vector<std::uint32_t> spatial_order(MatrixView<const T> x, std::int64_t group_rows) {
  std::vector<std::uint32_t> order(static_cast<std::size_t>(x.rows));
  std::iota(order.begin(), order.end(), 0u);
  const auto group = static_cast<std::size_t>(group_rows);
  std::vector<std::span<std::uint32_t>> level{order};
  while (!level.empty()) {
    std::vector<std::span<std::uint32_t>> next(2 * level.size());
    parallel_for(static_cast<std::int64_t>(level.size()), [&](std::int64_t task, int) {
      const auto at = static_cast<std::size_t>(task);
      if (level[at].size() <= group) return;
      const std::size_t left = divide(x, level[at], group);
      next[2 * at] = level[at].first(left);
      next[2 * at + 1] = level[at].subspan(left);
    });
    std::erase_if(next, [&](const auto& rows) { return rows.size() <= group; });
    level = std::move(next);
  }
  return order;
}

template std::vector<std::uint32_t> spatial_order(MatrixView<const float>, std::int64_t);
template std::vector<std::uint32_t> spatial_order(MatrixView<const double>, std::int64_t);

}  // namespace scvet::graph
