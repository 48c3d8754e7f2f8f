#include <algorithm>
#include <cmath>

#include "label_values.h"
#include "scvet/base/parallel.h"
#include "scvet/numeric/moments.h"
#include "stratified_folds.h"

namespace scvet::metrics {
namespace {

constexpr std::int32_t kFolds = 5;
constexpr std::uint32_t kSeed = 42;
constexpr std::int64_t kVotes = 5, kFewestOfLabel = 5, kFewestCells = 10;
constexpr std::int64_t kCellsPerTask = 1024;

// The label of most votes; of equal ones the first in code-point order.
std::int32_t elect(std::span<const std::int32_t> votes) {
  std::int32_t winner = -1;
  std::int64_t most = 0;
  for (const std::int32_t vote : votes)
    if (const auto count = std::count(votes.begin(), votes.end(), vote);
        count > most || (count == most && vote < winner)) {
      winner = vote;
      most = count;
    }
  return winner;
}

// Labels of -1 are in no fold: neither asked nor answering.
class Classifier {
 public:
  Classifier(const MetricInput& input, std::vector<std::int32_t> labels)
      : input_(input),
        labels_(std::move(labels)),
        fold_(stratified_folds(labels_, kFolds, kSeed)),
        predicted_(labels_.size(), -1) {}

  // The predicted label of each cell; -1 where it has none.
  std::vector<std::int32_t> predict() && {
    const auto n_cells = static_cast<std::int64_t>(labels_.size());
    parallel_for((n_cells + kCellsPerTask - 1) / kCellsPerTask, [&](std::int64_t task, int) {
      for (std::int64_t cell = task * kCellsPerTask; cell < std::min(n_cells, (task + 1) * kCellsPerTask); ++cell)
        ask_list(cell);
    });
    for (std::int32_t fold = 0; fold < kFolds; ++fold) search(fold);
    return std::move(predicted_);
  }
  const std::vector<std::int32_t>& folds() const { return fold_; }

 private:
  bool trains(std::size_t cell, std::int32_t fold) const { return fold_[cell] >= 0 && fold_[cell] != fold; }

  // The shared list holds the cell's nearest training cells, unless too many of its entries are of the cell's own fold.
  void ask_list(std::int64_t cell) {
    const std::int32_t fold = fold_[static_cast<std::size_t>(cell)];
    if (fold < 0) return;
    std::vector<std::int32_t> votes;
    for (const std::uint32_t other : input_.neighbours->list(cell))
      if (trains(other, fold) && std::ssize(votes) < kVotes) votes.push_back(labels_[other]);
    if (std::ssize(votes) == kVotes) predicted_[static_cast<std::size_t>(cell)] = elect(votes);
  }

  // The cells of the fold whose list did not.
  void search(std::int32_t fold) {
    std::vector<std::int64_t> asked, training;
    for (std::size_t cell = 0; cell < fold_.size(); ++cell) {
      if (fold_[cell] == fold && predicted_[cell] < 0) asked.push_back(static_cast<std::int64_t>(cell));
      if (trains(cell, fold)) training.push_back(static_cast<std::int64_t>(cell));
    }
    if (asked.empty()) return;
    const std::vector<float> queries = rows(asked), references = rows(training);
    const auto found = graph::nearest_references({queries.data(), std::ssize(asked), input_.x.cols},
                                                 {references.data(), std::ssize(training), input_.x.cols}, kVotes);
    for (std::int64_t at = 0; at < std::ssize(asked); ++at) {
      std::vector<std::int32_t> votes;
      for (const std::uint32_t other : found.list(at))
        votes.push_back(labels_[static_cast<std::size_t>(training[other])]);
      predicted_[static_cast<std::size_t>(asked[static_cast<std::size_t>(at)])] = elect(votes);
    }
  }

  std::vector<float> rows(std::span<const std::int64_t> cells) const {
    std::vector<float> values;
    values.reserve(cells.size() * static_cast<std::size_t>(input_.x.cols));
    for (const std::int64_t cell : cells)
      values.insert(values.end(), input_.x.row(cell), input_.x.row(cell) + input_.x.cols);
    return values;
  }

  const MetricInput& input_;
  std::vector<std::int32_t> labels_, fold_, predicted_;
};

MetricValue compute(const MetricInput& input) {
  std::vector<std::int32_t> labels = input.labels->of_cell;
  const auto counts = input.labels->counts();
  std::int64_t n_dropped = 0;
  for (std::int32_t& label : labels)
    if (label < 0 || counts[static_cast<std::size_t>(label)] < kFewestOfLabel) {
      label = -1;
      ++n_dropped;
    }
  const auto n_labels = std::count_if(counts.begin(), counts.end(), [](auto count) { return count >= kFewestOfLabel; });
  const std::string dropped = "dropped_cells=" + std::to_string(n_dropped);
  if (std::ssize(labels) - n_dropped < kFewestCells || n_labels < 2)
    return {.note = "insufficient_cells_after_dropping_rare_classes;" + dropped};

  MetricValue found;
  if (n_dropped > 0) found.note = dropped;
  Classifier classifier(input, labels);
  const std::vector<std::int32_t> fold = classifier.folds(), predicted = std::move(classifier).predict();
  std::vector<double> right(kFolds), size(kFolds);
  for (std::size_t cell = 0; cell < labels.size(); ++cell) {
    if (labels[cell] < 0) {
      found.cells.push_back(std::nan(""));
      continue;
    }
    found.cells.push_back(predicted[cell] == labels[cell] ? 1 : 0);
    right[static_cast<std::size_t>(fold[cell])] += found.cells.back();
    ++size[static_cast<std::size_t>(fold[cell])];
  }
  for (std::size_t at = 0; at < right.size(); ++at) right[at] /= size[at];
  found.value = numeric::mean(right);
  found.labels = label_values(found.cells, *input.labels, numeric::mean, "fewer_than_5_cells");
  return found;
}

}  // namespace

extern const MetricRecord acc_knn_metric = {
    .name = "Acc@kNN",
    .label = "Accuracy of the labels of 5 nearest training cells, 5 stratified folds",
    .source = "Cover and Hart 1967, doi:10.1109/TIT.1967.1053964; folds of scikit-learn's StratifiedKFold, seed 42",
    .group = "bio_conservation",
    .family = "neighbourhood",
    .order = 7,
    .least = 0,
    .most = 1,
    .chance =
        "About the chance that the most frequent of 5 cells drawn at random is of the cell's own label: between the sum "
        "of squared shares and the share of the commonest label.",
    .undefined = "Fewer than 10 cells or two labels, counting labels of at least 5 cells only.",
    .version = "1",
    .needs = kNeedsNeighbours,
    .compute = compute,
    .follows_order = true,
};

}  // namespace scvet::metrics
