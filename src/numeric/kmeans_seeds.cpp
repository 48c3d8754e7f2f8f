#include "kmeans_seeds.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "scvet/base/parallel.h"
#include "scvet/base/random.h"
#include "scvet/numeric/squared_distances.h"

namespace scvet::numeric {
namespace {

constexpr std::int64_t kBlock = 64;

struct Restart {
  explicit Restart(std::uint64_t state, std::int64_t n_rows)
      : stream(state), nearest(static_cast<std::size_t>(n_rows), std::numeric_limits<double>::infinity()) {}
  Stream stream;
  std::vector<double> nearest;  // squared distance of each row to its nearest centre
  std::vector<std::int64_t> centres, candidates;
};

// All restarts step together, so that a block of rows is packed once for the candidates of all.
class Seeds {
 public:
  Seeds(MatrixView<const float> x, std::int64_t k, int restarts, std::uint64_t seed)
      : x_(x), k_(k), n_trials_(2 + static_cast<std::int64_t>(std::log(static_cast<double>(k)))) {
    for (int at = 0; at < restarts; ++at)
      restarts_.emplace_back(stream_key(seed, static_cast<std::uint64_t>(at) + 1), x.rows);
    scratch_.resize(static_cast<std::size_t>(workers()));
  }

  std::vector<std::vector<std::int64_t>> choose() && {
    for (Restart& restart : restarts_)
      restart.candidates = {static_cast<std::int64_t>(restart.stream.below(static_cast<std::uint64_t>(x_.rows)))};
    add_centres();
    while (std::ssize(restarts_.front().centres) < k_) {
      parallel_for(std::ssize(restarts_), [&](std::int64_t at, int) { draw(restarts_[static_cast<std::size_t>(at)]); });
      add_centres();
    }
    std::vector<std::vector<std::int64_t>> found;
    for (Restart& restart : restarts_) found.push_back(std::move(restart.centres));
    return found;
  }

 private:
  struct Scratch {
    PackedRows rows;
  };

  void draw(Restart& restart) {
    std::vector<double> cumulative(restart.nearest.size());
    double sum = 0;
    std::int64_t last = 0;  // row of positive weight, should rounding lead past it
    for (std::size_t row = 0; row < cumulative.size(); ++row) {
      sum += restart.nearest[row];
      cumulative[row] = sum;
      if (restart.nearest[row] > 0) last = static_cast<std::int64_t>(row);
    }
    restart.candidates.clear();
    for (std::int64_t trial = 0; trial < n_trials_; ++trial) {
      if (!(sum > 0)) {
        restart.candidates.push_back(
            static_cast<std::int64_t>(restart.stream.below(static_cast<std::uint64_t>(x_.rows))));
        continue;
      }
      const auto at = std::upper_bound(cumulative.begin(), cumulative.end(), restart.stream.unit() * sum);
      restart.candidates.push_back(std::min<std::int64_t>(at - cumulative.begin(), last));
    }
  }

  // distances_(row, column of the candidate): all candidates of all restarts side by side.
  void measure() {
    std::vector<std::int64_t> candidates;
    for (const Restart& restart : restarts_)
      candidates.insert(candidates.end(), restart.candidates.begin(), restart.candidates.end());
    PackedRows columns;
    columns.pack(x_, candidates);
    n_columns_ = round_up_to_panel(columns.size());
    distances_.resize(static_cast<std::size_t>(round_up_to_panel(x_.rows) * n_columns_));
    parallel_for((x_.rows + kBlock - 1) / kBlock, [&](std::int64_t block, int worker) {
      PackedRows& rows = scratch_[static_cast<std::size_t>(worker)].rows;
      const std::int64_t first = block * kBlock, count = std::min(kBlock, x_.rows - first);
      rows.pack(x_, first, count);
      squared_distances({rows, 0, count}, {columns, 0, columns.size()},
                        {distances_.data() + first * n_columns_, round_up_to_panel(count), n_columns_});
    });
  }

  // The candidate of each restart that leaves the smallest sum becomes a centre; of equal ones the first.
  void add_centres() {
    measure();
    parallel_for(std::ssize(restarts_), [&](std::int64_t at, int) {
      Restart& restart = restarts_[static_cast<std::size_t>(at)];
      const std::int64_t n_trials = std::ssize(restart.candidates);
      const double* const from = distances_.data() + at * n_trials;
      std::vector<double> left(static_cast<std::size_t>(n_trials), 0.0);
      for (std::int64_t row = 0; row < x_.rows; ++row)
        for (std::int64_t trial = 0; trial < n_trials; ++trial)
          left[static_cast<std::size_t>(trial)] +=
              std::min(restart.nearest[static_cast<std::size_t>(row)], from[row * n_columns_ + trial]);
      const auto best = std::min_element(left.begin(), left.end()) - left.begin();
      restart.centres.push_back(restart.candidates[static_cast<std::size_t>(best)]);
      for (std::int64_t row = 0; row < x_.rows; ++row) {
        double& nearest = restart.nearest[static_cast<std::size_t>(row)];
        nearest = std::min(nearest, from[row * n_columns_ + best]);
      }
    });
  }

  MatrixView<const float> x_;
  std::int64_t k_, n_trials_, n_columns_ = 0;
  std::vector<Restart> restarts_;
  std::vector<Scratch> scratch_;
  std::vector<double> distances_;
};

}  // namespace

std::vector<std::vector<std::int64_t>> kmeans_seeds(MatrixView<const float> x, std::int64_t k, int restarts,
                                                    std::uint64_t seed) {
  return Seeds(x, k, restarts, seed).choose();
}

}  // namespace scvet::numeric
