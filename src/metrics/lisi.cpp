#include "scvet/metrics/lisi.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "scvet/base/parallel.h"

namespace scvet::metrics {
namespace {

constexpr double kTolerance = 1e-5;
constexpr int kSteps = 50;
constexpr std::int64_t kCellsPerTask = 256;

struct Scratch {
  std::vector<std::int32_t> groups;
  std::vector<double> distances, weights;  // of the neighbours; distances beyond the nearest
  std::vector<double> of_group;
};

// Weights at beta, not yet divided by their sum, which is returned; `entropy` of the weights.
double weigh(Scratch& own, double beta, double& entropy) {
  double sum = 0, spread = 0;
  for (std::size_t at = 0; at < own.distances.size(); ++at) {
    own.weights[at] = std::exp(-beta * own.distances[at]);
    sum += own.weights[at];
    spread += own.distances[at] * own.weights[at];
  }
  entropy = std::log(sum) + beta * (spread / sum);
  return sum;
}

// Leaves the weights at the beta found; returns their sum.
double search_beta(Scratch& own, double target) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double beta = 1, low = -kInfinity, high = kInfinity, entropy = 0;
  double sum = weigh(own, beta, entropy);
  for (int step = 0; step < kSteps && !(std::abs(entropy - target) < kTolerance); ++step) {
    if (entropy > target) {
      low = beta;
      beta = high == kInfinity ? beta * 2 : (beta + high) / 2;
    } else {
      high = beta;
      beta = low == -kInfinity ? beta / 2 : (beta + low) / 2;
    }
    sum = weigh(own, beta, entropy);
  }
  return sum;
}

double lisi_of(Scratch& own, double target) {
  if (own.distances.empty()) return std::numeric_limits<double>::quiet_NaN();
  const double nearest = *std::min_element(own.distances.begin(), own.distances.end());
  for (double& distance : own.distances) distance -= nearest;
  own.weights.resize(own.distances.size());
  const double sum = search_beta(own, target);
  std::fill(own.of_group.begin(), own.of_group.end(), 0.0);
  for (std::size_t at = 0; at < own.weights.size(); ++at)
    own.of_group[static_cast<std::size_t>(own.groups[at])] += own.weights[at] / sum;
  double simpson = 0;
  for (const double share : own.of_group) simpson += share * share;
  return 1 / simpson;
}

}  // namespace

std::vector<double> lisi(const graph::Neighbours& neighbours, std::span<const std::int32_t> group_of_cell,
                         std::int32_t n_groups, double perplexity) {
  std::vector<double> values(static_cast<std::size_t>(neighbours.n_cells));
  std::vector<Scratch> scratch(static_cast<std::size_t>(workers()));
  const double target = std::log(perplexity);
  parallel_for((neighbours.n_cells + kCellsPerTask - 1) / kCellsPerTask, [&](std::int64_t task, int worker) {
    Scratch& own = scratch[static_cast<std::size_t>(worker)];
    own.of_group.resize(static_cast<std::size_t>(n_groups));
    const std::int64_t last = std::min(neighbours.n_cells, (task + 1) * kCellsPerTask);
    for (std::int64_t cell = task * kCellsPerTask; cell < last; ++cell) {
      const auto list = neighbours.list(cell);
      const auto distances = neighbours.list_distances(cell);
      own.groups.clear();
      own.distances.clear();
      for (std::size_t at = 0; at < list.size(); ++at)
        if (list[at] != cell) {
          own.groups.push_back(group_of_cell[list[at]]);
          own.distances.push_back(distances[at]);
        }
      values[static_cast<std::size_t>(cell)] = lisi_of(own, target);
    }
  });
  return values;
}

}  // namespace scvet::metrics
