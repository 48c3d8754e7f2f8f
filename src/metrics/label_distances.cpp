#include "label_distances.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "scvet/base/parallel.h"
#include "scvet/numeric/squared_distances.h"

namespace scvet::metrics {
namespace {

constexpr std::int64_t kBlock = 256;  // cells of a task's side
constexpr std::int64_t kTile = 64;    // a tile of distances stays in the first-level cache

struct Run {
  std::int64_t label, first, last;
};

// Cells by label, so that a tile has few runs of equal labels.
class LabelDistances {
 public:
  LabelDistances(MatrixView<const float> x, const Groups& labels)
      : x_(x), n_labels_(labels.size()), sums_(labels.of_cell.size() * static_cast<std::size_t>(labels.size())) {
    for (std::int32_t label = 0; const std::vector<std::int64_t>& members : labels.members()) {
      cells_.insert(cells_.end(), members.begin(), members.end());
      label_of_.insert(label_of_.end(), members.size(), label++);
    }
  }

  std::vector<double> compute() &&;

 private:
  struct Scratch {
    numeric::PackedRows left, right;
    std::array<double, kTile * kTile> distances;
    std::array<double, kTile> column_sums;
  };

  std::int64_t n_cells() const { return std::ssize(cells_); }
  void add_blocks(std::int64_t left, std::int64_t right, Scratch& own);
  void add_tile(std::int64_t left, std::int64_t right, Scratch& own);
  void add_to_rows(std::int64_t left, std::int64_t n_left, const std::vector<Run>& runs, const Scratch& own);
  void add_to_columns(std::int64_t right, std::int64_t n_right, const std::vector<Run>& runs, Scratch& own);
  std::vector<Run> runs_of(std::int64_t first, std::int64_t count) const;
  double& sum(std::int64_t at, std::int64_t label) {
    return sums_[static_cast<std::size_t>(cells_[static_cast<std::size_t>(at)] * n_labels_ + label)];
  }

  MatrixView<const float> x_;
  std::int64_t n_labels_;
  std::vector<std::int64_t> cells_;
  std::vector<std::int32_t> label_of_;
  std::vector<double> sums_;
};

std::vector<Run> LabelDistances::runs_of(std::int64_t first, std::int64_t count) const {
  std::vector<Run> runs;
  for (std::int64_t at = 0; at < count; ++at) {
    const std::int64_t label = label_of_[static_cast<std::size_t>(first + at)];
    if (runs.empty() || runs.back().label != label) runs.push_back({label, at, at});
    ++runs.back().last;
  }
  return runs;
}

// Eight rows side by side: eight independent sums, each in the order of the columns.
void LabelDistances::add_to_rows(std::int64_t left, std::int64_t n_left, const std::vector<Run>& runs,
                                 const Scratch& own) {
  constexpr std::int64_t kSide = 8;
  for (std::int64_t row = 0; row < n_left; row += kSide)
    for (const Run& run : runs) {
      std::array<double, kSide> found{};
      const double* const from = own.distances.data() + row * kTile;
      for (std::int64_t col = run.first; col < run.last; ++col)
        for (std::int64_t at = 0; at < kSide; ++at) found[static_cast<std::size_t>(at)] += from[at * kTile + col];
      for (std::int64_t at = 0; at < std::min(kSide, n_left - row); ++at)
        sum(left + row + at, run.label) += found[static_cast<std::size_t>(at)];
    }
}

void LabelDistances::add_to_columns(std::int64_t right, std::int64_t n_right, const std::vector<Run>& runs,
                                    Scratch& own) {
  for (const Run& run : runs) {
    own.column_sums.fill(0);
    for (std::int64_t row = run.first; row < run.last; ++row) {
      const double* const from = own.distances.data() + row * kTile;
      for (std::int64_t col = 0; col < kTile; ++col) own.column_sums[static_cast<std::size_t>(col)] += from[col];
    }
    for (std::int64_t col = 0; col < n_right; ++col)
      sum(right + col, run.label) += own.column_sums[static_cast<std::size_t>(col)];
  }
}

void LabelDistances::add_tile(std::int64_t left, std::int64_t right, Scratch& own) {
  const std::int64_t n_left = std::min(kTile, n_cells() - left), n_right = std::min(kTile, n_cells() - right);
  numeric::squared_distances({own.left, left % kBlock, n_left}, {own.right, right % kBlock, n_right},
                             {own.distances.data(), kTile, kTile});
  for (double& value : own.distances) value = std::sqrt(value);
  add_to_rows(left, n_left, runs_of(right, n_right), own);
  if (left != right) add_to_columns(right, n_right, runs_of(left, n_left), own);
}

// Both sides of all pairs of two blocks; a block with itself: every pair once, as above.
void LabelDistances::add_blocks(std::int64_t left, std::int64_t right, Scratch& own) {
  const auto pack = [&](numeric::PackedRows& rows, std::int64_t first) {
    const auto count = static_cast<std::size_t>(std::min(kBlock, n_cells() - first));
    rows.pack(x_, std::span(cells_).subspan(static_cast<std::size_t>(first), count));
  };
  pack(own.left, left);
  pack(own.right, right);
  for (std::int64_t i = left; i < std::min(left + kBlock, n_cells()); i += kTile)
    for (std::int64_t j = left == right ? i : right; j < std::min(right + kBlock, n_cells()); j += kTile)
      add_tile(i, j, own);
}

// Blocks meet as the players of a tournament do: in each round every block has one partner, so no two tasks write the
// same sums, and the order of the rounds is the order of each sum. With an odd number of blocks one rests.
std::vector<double> LabelDistances::compute() && {
  const std::int64_t n_blocks = (n_cells() + kBlock - 1) / kBlock, seats = n_blocks + n_blocks % 2;
  std::vector<Scratch> scratch(static_cast<std::size_t>(workers()));
  const auto meet = [&](std::int64_t a, std::int64_t b, int worker) {
    if (const auto [left, right] = std::minmax(a, b); right < n_blocks)
      add_blocks(left * kBlock, right * kBlock, scratch[static_cast<std::size_t>(worker)]);
  };
  parallel_for(n_blocks, [&](std::int64_t block, int worker) { meet(block, block, worker); });
  for (std::int64_t round = 0; round + 1 < seats; ++round)
    parallel_for(seats / 2, [&](std::int64_t pair, int worker) {
      if (pair == 0)
        meet(round, seats - 1, worker);
      else
        meet((round + pair) % (seats - 1), (round + seats - 1 - pair) % (seats - 1), worker);
    });
  return std::move(sums_);
}

}  // namespace

std::vector<double> label_distances(MatrixView<const float> x, const Groups& labels) {
  return LabelDistances(x, labels).compute();
}

}  // namespace scvet::metrics
