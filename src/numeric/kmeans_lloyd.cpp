#include "kmeans_lloyd.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "scvet/numeric/squared_distances.h"

namespace scvet::numeric {
namespace {

constexpr std::int64_t kBlock = 64;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

class Iterations {
 public:
  Iterations(MatrixView<const float> x, const std::vector<std::int64_t>& seeds)
      : x_(x),
        k_(std::ssize(seeds)),
        cluster_(static_cast<std::size_t>(x.rows), -1),
        upper_(cluster_.size(), kInfinity),
        lower_(cluster_.size(), 0),
        counts_(seeds.size(), 0),
        sums_(seeds.size() * static_cast<std::size_t>(x.cols), 0),
        gap_(seeds.size(), 0),
        shift_(seeds.size(), 0),
        distances_(static_cast<std::size_t>(kBlock * round_up_to_panel(k_))) {
    for (const std::int64_t row : seeds) centres_.insert(centres_.end(), x.row(row), x.row(row) + x.cols);
  }

  Lloyd run(int iterations, double tolerance) && {
    for (int step = 0; step < iterations; ++step) {
      const bool moved = assign(), filled = fill_empty();
      const double shifts = move_centres();
      if (!filled && (!moved || shifts <= tolerance)) break;
    }
    return finish();
  }

 private:
  double* centre(std::int64_t at) { return centres_.data() + at * x_.cols; }

  // Distances of up to kBlock rows to all centres.
  void measure(std::span<const std::int64_t> rows) {
    rows_.pack(x_, rows);
    squared_distances({rows_, 0, rows_.size()}, {packed_, 0, k_}, {distances_.data(), kBlock, round_up_to_panel(k_)});
  }

  void pack_centres() { packed_.pack(MatrixView<const double>(centres_.data(), k_, x_.cols)); }

  // gap = half the distance to the nearest other centre: a row nearer than that to its own has no other to go to.
  void find_gaps() {
    std::vector<double> between(static_cast<std::size_t>(round_up_to_panel(k_) * round_up_to_panel(k_)));
    squared_distances({packed_, 0, k_}, {packed_, 0, k_},
                      {between.data(), round_up_to_panel(k_), round_up_to_panel(k_)});
    for (std::int64_t a = 0; a < k_; ++a) {
      double nearest = kInfinity;
      for (std::int64_t b = 0; b < k_; ++b)
        if (b != a) nearest = std::min(nearest, between[static_cast<std::size_t>(a * round_up_to_panel(k_) + b)]);
      gap_[static_cast<std::size_t>(a)] = std::sqrt(nearest) / 2;
    }
  }

  void add(std::int64_t row, std::int64_t to, double sign) {
    double* const sum = sums_.data() + to * x_.cols;
    const float* const from = x_.row(row);
    for (std::int64_t col = 0; col < x_.cols; ++col) sum[col] += sign * static_cast<double>(from[col]);
    counts_[static_cast<std::size_t>(to)] += sign > 0 ? 1 : -1;
  }

  void put(std::int64_t row, std::int64_t to) {
    std::int32_t& cluster = cluster_[static_cast<std::size_t>(row)];
    if (cluster >= 0) add(row, cluster, -1);
    add(row, to, 1);
    cluster = static_cast<std::int32_t>(to);
  }

  // Whether the row at this place of the last measure() went to another centre.
  bool settle(std::int64_t row, std::int64_t at) {
    const double* const from = distances_.data() + at * round_up_to_panel(k_);
    std::int64_t best = 0;
    double first = kInfinity, second = kInfinity;
    for (std::int64_t to = 0; to < k_; ++to) {
      if (from[to] < first) {
        second = first;
        first = from[to];
        best = to;
      } else {
        second = std::min(second, from[to]);
      }
    }
    upper_[static_cast<std::size_t>(row)] = std::sqrt(first);
    lower_[static_cast<std::size_t>(row)] = std::sqrt(second);
    if (cluster_[static_cast<std::size_t>(row)] == best) return false;
    put(row, best);
    return true;
  }

  bool is_settled(std::size_t row) const {
    return cluster_[row] >= 0 && upper_[row] <= std::max(lower_[row], gap_[static_cast<std::size_t>(cluster_[row])]);
  }

  bool assign() {
    pack_centres();
    find_gaps();
    bool moved = false;
    std::vector<std::int64_t> open;
    const auto look = [&] {
      if (open.empty()) return;
      measure(open);
      for (std::int64_t at = 0; at < std::ssize(open); ++at) moved |= settle(open[static_cast<std::size_t>(at)], at);
      open.clear();
    };
    for (std::int64_t row = 0; row < x_.rows; ++row) {
      if (!is_settled(static_cast<std::size_t>(row))) open.push_back(row);
      if (std::ssize(open) == kBlock) look();
    }
    look();
    return moved;
  }

  // A centre without rows takes the row farthest from its own centre, where any is away from it. Whether one did.
  bool fill_empty() {
    bool filled = false;
    for (std::int64_t to = 0; to < k_; ++to) {
      if (counts_[static_cast<std::size_t>(to)] > 0) continue;
      std::int64_t farthest = -1;
      double most = 0;
      for (std::int64_t row = 0; row < x_.rows; ++row) {
        const std::int32_t own = cluster_[static_cast<std::size_t>(row)];
        if (counts_[static_cast<std::size_t>(own)] < 2) continue;
        const double distance = squared_distance(row, own);
        if (distance > most) {
          most = distance;
          farthest = row;
        }
      }
      if (farthest < 0) break;
      put(farthest, to);
      upper_[static_cast<std::size_t>(farthest)] = kInfinity;  // bounds are of the centre that it left
      lower_[static_cast<std::size_t>(farthest)] = 0;
      filled = true;
    }
    return filled;
  }

  double squared_distance(std::int64_t row, std::int64_t to) {
    double sum = 0;
    for (std::int64_t col = 0; col < x_.cols; ++col) {
      const double difference = static_cast<double>(x_(row, col)) - centre(to)[col];
      sum += difference * difference;
    }
    return sum;
  }

  // Centres go to the means of their rows and the bounds follow; returns the sum of squared shifts.
  double move_centres() {
    double total = 0;
    for (std::int64_t at = 0; at < k_; ++at) {
      const auto count = static_cast<double>(counts_[static_cast<std::size_t>(at)]);
      double squares = 0;
      for (std::int64_t col = 0; count > 0 && col < x_.cols; ++col) {
        const double mean = sums_[static_cast<std::size_t>(at * x_.cols + col)] / count;
        squares += (mean - centre(at)[col]) * (mean - centre(at)[col]);
        centre(at)[col] = mean;
      }
      shift_[static_cast<std::size_t>(at)] = std::sqrt(squares);
      total += squares;
    }
    const auto farthest = static_cast<std::size_t>(std::max_element(shift_.begin(), shift_.end()) - shift_.begin());
    double others = 0;  // the largest shift but that one
    for (std::size_t at = 0; at < shift_.size(); ++at)
      if (at != farthest) others = std::max(others, shift_[at]);
    for (std::size_t row = 0; row < cluster_.size(); ++row) {
      const auto own = static_cast<std::size_t>(cluster_[row]);
      upper_[row] += shift_[own];
      lower_[row] -= own == farthest ? others : shift_[farthest];
    }
    return total;
  }

  Lloyd finish() {
    pack_centres();
    Lloyd found;
    found.cluster.resize(cluster_.size());
    std::vector<std::int64_t> rows;
    for (std::int64_t first = 0; first < x_.rows; first += kBlock) {
      rows.resize(static_cast<std::size_t>(std::min(kBlock, x_.rows - first)));
      std::iota(rows.begin(), rows.end(), first);
      measure(rows);
      for (std::int64_t at = 0; at < std::ssize(rows); ++at) {
        const double* const from = distances_.data() + at * round_up_to_panel(k_);
        const double* const best = std::min_element(from, from + k_);
        found.cluster[static_cast<std::size_t>(first + at)] = static_cast<std::int32_t>(best - from);
        found.inertia += *best;
      }
    }
    found.centres = std::move(centres_);
    return found;
  }

  MatrixView<const float> x_;
  std::int64_t k_;
  std::vector<double> centres_;
  std::vector<std::int32_t> cluster_;
  std::vector<double> upper_, lower_;  // of the distances to the own centre and to the nearest other
  std::vector<std::int64_t> counts_;
  std::vector<double> sums_, gap_, shift_, distances_;
  PackedRows rows_, packed_;
};

}  // namespace

Lloyd lloyd(MatrixView<const float> x, const std::vector<std::int64_t>& seeds, int iterations, double tolerance) {
  return Iterations(x, seeds).run(iterations, tolerance);
}

}  // namespace scvet::numeric
