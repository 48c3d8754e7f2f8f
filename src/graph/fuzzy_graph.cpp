#include "scvet/graph/fuzzy_graph.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "scvet/base/error.h"
#include "scvet/base/parallel.h"

namespace scvet::graph {
namespace {

constexpr std::int64_t kRowsPerTask = 1024;
constexpr int kMaxSteps = 64;
constexpr double kTolerance = 1e-5, kSmallestScale = 1e-3;

struct RowScale {
  float rho, sigma;  // distance of the first neighbour apart from the cell; width of the kernel
};

// The peer keeps distances, rho and sigma in float32 and searches sigma in float64.
RowScale row_scale(std::span<const float> distances, double mean_of_all) {
  float rho = 0;
  for (const float distance : distances)
    if (distance > 0 && (rho == 0 || distance < rho)) rho = distance;
  const double target = std::log2(static_cast<double>(distances.size()));
  double low = 0, high = std::numeric_limits<double>::infinity(), sigma = 1;
  for (int step = 0; step < kMaxSteps; ++step) {
    double sum = 0;
    for (const float distance : distances.subspan(1)) {
      const float beyond = distance - rho;
      sum += beyond > 0 ? std::exp(-(static_cast<double>(beyond) / sigma)) : 1;
    }
    if (std::abs(sum - target) < kTolerance) break;
    if (sum > target)
      high = sigma;
    else
      low = sigma;
    sigma = std::isinf(high) ? sigma * 2 : (low + high) / 2;
  }
  double mean = mean_of_all;
  if (rho > 0) {
    mean = 0;
    for (const float distance : distances) mean += static_cast<double>(distance);
    mean /= static_cast<double>(distances.size());
  }
  const auto rounded = static_cast<float>(sigma);
  return {rho,
          static_cast<double>(rounded) < kSmallestScale * mean ? static_cast<float>(kSmallestScale * mean) : rounded};
}

float membership(float distance, RowScale scale) {
  if (distance - scale.rho <= 0 || scale.sigma == 0) return 1;
  return static_cast<float>(std::exp(-static_cast<double>((distance - scale.rho) / scale.sigma)));
}

// Rows of entries (cell, weight), ascending by cell.
struct Rows {
  std::vector<std::int64_t> indptr;
  std::vector<std::uint32_t> cells;
  std::vector<float> weights;
};

// A in rows of k - 1 entries or, where the cell itself is not in its list, k. Weights of 0 are left in.
Rows memberships(const Neighbours& neighbours, std::int64_t k) {
  const std::int64_t n = neighbours.n_cells;
  std::vector<float> distances(static_cast<std::size_t>(n * k));
  double mean_of_all = 0;
  for (std::int64_t row = 0; row < n; ++row)
    for (std::int64_t at = 0; at < k; ++at) {
      const float distance = static_cast<float>(neighbours.list_distances(row)[static_cast<std::size_t>(at)]);
      distances[static_cast<std::size_t>(row * k + at)] = distance;
      mean_of_all += static_cast<double>(distance);
    }
  mean_of_all /= static_cast<double>(distances.size());

  Rows rows;
  rows.indptr.push_back(0);
  for (std::int64_t row = 0; row < n; ++row) {
    const auto list = neighbours.list(row).first(static_cast<std::size_t>(k));
    const auto others = k - std::count(list.begin(), list.end(), static_cast<std::uint32_t>(row));
    rows.indptr.push_back(rows.indptr.back() + others);
  }
  rows.cells.resize(static_cast<std::size_t>(rows.indptr.back()));
  rows.weights.resize(rows.cells.size());
  parallel_for((n + kRowsPerTask - 1) / kRowsPerTask, [&](std::int64_t task, int) {
    std::vector<std::pair<std::uint32_t, float>> entries;
    for (std::int64_t row = task * kRowsPerTask; row < std::min(n, (task + 1) * kRowsPerTask); ++row) {
      const std::span<const float> list(distances.data() + row * k, static_cast<std::size_t>(k));
      const RowScale scale = row_scale(list, mean_of_all);
      entries.clear();
      for (std::size_t at = 0; at < list.size(); ++at)
        if (const std::uint32_t cell = neighbours.list(row)[at]; cell != static_cast<std::uint32_t>(row))
          entries.emplace_back(cell, membership(list[at], scale));
      std::sort(entries.begin(), entries.end());
      auto to = static_cast<std::size_t>(rows.indptr[static_cast<std::size_t>(row)]);
      for (const auto& [cell, weight] : entries) {
        rows.cells[to] = cell;
        rows.weights[to++] = weight;
      }
    }
  });
  return rows;
}

// Counting sort by column: within a column, rows ascend.
Rows transposed(const Rows& rows, std::int64_t n) {
  Rows turned;
  turned.indptr.assign(static_cast<std::size_t>(n) + 1, 0);
  for (const std::uint32_t cell : rows.cells) ++turned.indptr[cell + 1];
  for (std::size_t at = 1; at < turned.indptr.size(); ++at) turned.indptr[at] += turned.indptr[at - 1];
  std::vector<std::int64_t> next(turned.indptr.begin(), turned.indptr.end() - 1);
  turned.cells.resize(rows.cells.size());
  turned.weights.resize(rows.cells.size());
  for (std::int64_t row = 0; row < n; ++row)
    for (std::int64_t at = rows.indptr[static_cast<std::size_t>(row)];
         at < rows.indptr[static_cast<std::size_t>(row) + 1]; ++at) {
      const auto to = static_cast<std::size_t>(next[rows.cells[static_cast<std::size_t>(at)]]++);
      turned.cells[to] = static_cast<std::uint32_t>(row);
      turned.weights[to] = rows.weights[static_cast<std::size_t>(at)];
    }
  return turned;
}

// Rounded as the peer does it (1 and b can give a bit less than 1), but never above 1.
float either(float a, float b) { return std::min((a + b) - a * b, 1.f); }

}  // namespace

WeightedGraph fuzzy_graph(const Neighbours& neighbours, std::int64_t k) {
  if (k < 1 || k > neighbours.k) throw InternalError("fuzzy_graph: k is not within the lists");
  const std::int64_t n = neighbours.n_cells;
  const Rows rows = memberships(neighbours, k), turned = transposed(rows, n);
  WeightedGraph graph;
  graph.n_cells = n;
  const auto add = [&graph](std::uint32_t cell, float weight) {
    if (weight <= 0) return;
    graph.cells.push_back(cell);
    graph.weights.push_back(weight);
  };
  for (std::size_t row = 0; row < static_cast<std::size_t>(n); ++row) {
    auto a = static_cast<std::size_t>(rows.indptr[row]), b = static_cast<std::size_t>(turned.indptr[row]);
    const auto a_end = static_cast<std::size_t>(rows.indptr[row + 1]);
    const auto b_end = static_cast<std::size_t>(turned.indptr[row + 1]);
    while (a < a_end || b < b_end) {
      if (b == b_end || (a < a_end && rows.cells[a] < turned.cells[b])) {
        add(rows.cells[a], rows.weights[a]);
        ++a;
      } else if (a == a_end || turned.cells[b] < rows.cells[a]) {
        add(turned.cells[b], turned.weights[b]);
        ++b;
      } else {
        add(rows.cells[a], either(rows.weights[a], turned.weights[b]));
        ++a, ++b;
      }
    }
    graph.indptr.push_back(static_cast<std::int64_t>(graph.cells.size()));
  }
  return graph;
}

WeightedGraph induced_subgraph(const WeightedGraph& graph, std::span<const std::int64_t> cells) {
  constexpr std::uint32_t kOutside = 0xFFFFFFFFu;
  std::vector<std::uint32_t> number(static_cast<std::size_t>(graph.n_cells), kOutside);
  for (std::size_t at = 0; at < cells.size(); ++at)
    number[static_cast<std::size_t>(cells[at])] = static_cast<std::uint32_t>(at);
  WeightedGraph part;
  part.n_cells = static_cast<std::int64_t>(cells.size());
  for (const std::int64_t cell : cells) {
    const auto from = static_cast<std::size_t>(graph.indptr[static_cast<std::size_t>(cell)]);
    const auto to = static_cast<std::size_t>(graph.indptr[static_cast<std::size_t>(cell) + 1]);
    for (std::size_t at = from; at < to; ++at)
      if (const std::uint32_t other = number[graph.cells[at]]; other != kOutside) {
        part.cells.push_back(other);
        part.weights.push_back(graph.weights[at]);
      }
    part.indptr.push_back(static_cast<std::int64_t>(part.cells.size()));
  }
  return part;
}

}  // namespace scvet::graph
