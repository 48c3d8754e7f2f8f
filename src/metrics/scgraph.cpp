#include "scgraph.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "batch_input.h"
#include "scgraph_batch.h"
#include "scvet/numeric/moments.h"

namespace scvet::metrics {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kFewestLabelCells = 10, kFewestBatchCells = 100;
constexpr double kTrimmed = 0.05;

double trimmed_mean(std::vector<double>& values) {
  std::sort(values.begin(), values.end());
  const auto cut = static_cast<std::ptrdiff_t>(kTrimmed * static_cast<double>(values.size()));
  return numeric::mean({values.begin() + cut, values.end() - cut});
}

// Mean over the batches that have both labels.
struct Consensus {
  std::vector<double> sum, count;

  void add(const std::vector<double>& distances) {
    for (std::size_t at = 0; at < distances.size(); ++at) {
      if (std::isnan(distances[at])) continue;
      sum[at] += distances[at];
      ++count[at];
    }
  }
};

std::vector<double> rows_and_columns(const std::vector<double>& matrix, std::size_t size,
                                     const std::vector<std::int32_t>& kept) {
  std::vector<double> part;
  for (const std::int32_t row : kept)
    for (const std::int32_t col : kept)
      part.push_back(matrix[static_cast<std::size_t>(row) * size + static_cast<std::size_t>(col)]);
  return part;
}

// Label of each cell; -1 for labels of fewer than 10 cells.
std::vector<std::int32_t> labels_compared(const Groups& labels) {
  const std::vector<std::int64_t> counts = labels.counts();
  std::vector<std::int32_t> of_cell = labels.of_cell;
  for (std::int32_t& label : of_cell)
    if (counts[static_cast<std::size_t>(label)] < kFewestLabelCells) label = -1;
  return of_cell;
}

ScgraphDistances distances_of(const MetricInput& input) {
  ScgraphDistances made;
  made.undefined = batches_undefined(input);
  if (!made.undefined.empty()) return made;
  if (input.counts.rows != input.x.rows) return {.undefined = "no_counts_of_these_cells"};
  const std::vector<std::int32_t> label_of_cell = labels_compared(*input.labels);
  const std::int32_t n_labels = input.labels->size();
  const auto size = static_cast<std::size_t>(n_labels);
  Consensus consensus{std::vector<double>(size * size, 0.0), std::vector<double>(size * size, 0.0)};
  for (const std::vector<std::int64_t>& cells : input.batches->members()) {
    if (std::ssize(cells) < kFewestBatchCells) continue;
    std::vector<std::int32_t> of_row;
    for (const std::int64_t cell : cells) of_row.push_back(label_of_cell[static_cast<std::size_t>(cell)]);
    const BatchComponents batch = batch_components(input.counts, cells);
    const MatrixView<const float> rows(batch.scores.data(), std::ssize(cells), batch.n_components);
    std::vector<double> distances = scgraph_label_distances(rows, of_row, n_labels);
    scgraph_scale_columns(distances, size);
    consensus.add(distances);
  }
  for (std::int32_t label = 0; label < n_labels; ++label)
    if (consensus.count[static_cast<std::size_t>(label) * (size + 1)] > 0) made.labels.push_back(label);
  if (made.size() < 3) return {.undefined = "fewer_than_three_labels_in_batches_of_100_cells"};

  for (std::size_t at = 0; at < consensus.sum.size(); ++at)
    consensus.sum[at] = consensus.count[at] > 0 ? consensus.sum[at] / consensus.count[at] : kNaN;
  made.consensus = rows_and_columns(consensus.sum, size, made.labels);
  scgraph_scale_columns(made.consensus, made.size());
  made.embedding = rows_and_columns(scgraph_label_distances(input.x, label_of_cell, n_labels), size, made.labels);
  scgraph_scale_columns(made.embedding, made.size());
  return made;
}

}  // namespace

std::vector<double> scgraph_label_distances(MatrixView<const float> x, std::span<const std::int32_t> label_of_row,
                                            std::int32_t n_labels) {
  const auto size = static_cast<std::size_t>(n_labels), n_dims = static_cast<std::size_t>(x.cols);
  std::vector<std::vector<std::int64_t>> rows(size);
  for (std::size_t row = 0; row < label_of_row.size(); ++row)
    if (label_of_row[row] >= 0)
      rows[static_cast<std::size_t>(label_of_row[row])].push_back(static_cast<std::int64_t>(row));
  std::vector<double> means(size * n_dims, kNaN), values;
  for (std::size_t label = 0; label < size; ++label)
    for (std::size_t dim = 0; dim < n_dims && !rows[label].empty(); ++dim) {
      values.clear();
      for (const std::int64_t row : rows[label]) values.push_back(static_cast<double>(x.row(row)[dim]));
      means[label * n_dims + dim] = trimmed_mean(values);
    }
  std::vector<double> distances(size * size);
  for (std::size_t one = 0; one < size; ++one)
    for (std::size_t other = 0; other < size; ++other) {
      double sum = 0;
      for (std::size_t dim = 0; dim < n_dims; ++dim) {
        const double gap = means[one * n_dims + dim] - means[other * n_dims + dim];
        sum += gap * gap;
      }
      distances[one * size + other] = std::sqrt(sum);
    }
  return distances;
}

void scgraph_scale_columns(std::vector<double>& distances, std::size_t n_labels) {
  for (std::size_t col = 0; col < n_labels; ++col) {
    double largest = 0;
    for (std::size_t row = 0; row < n_labels; ++row)
      if (distances[row * n_labels + col] > largest) largest = distances[row * n_labels + col];
    for (std::size_t row = 0; row < n_labels; ++row) distances[row * n_labels + col] /= largest;
  }
}

std::shared_ptr<const ScgraphDistances> scgraph_distances(const MetricInput& input) {
  const std::array<const void*, 4> made_from = {input.x.data, input.counts.values, input.labels, input.batches};
  if (!input.scgraph || input.scgraph->made_from != made_from) {
    ScgraphDistances made = distances_of(input);
    made.made_from = made_from;
    input.scgraph = std::make_shared<const ScgraphDistances>(std::move(made));
  }
  return input.scgraph;
}

MetricValue scgraph_agreement(const MetricInput& input, const ColumnAgreement& agreement) {
  const std::shared_ptr<const ScgraphDistances> distances = scgraph_distances(input);
  if (!distances->undefined.empty()) return {.note = distances->undefined};
  std::vector<LabelValue> values;
  for (std::int32_t label = 0; label < input.labels->size(); ++label)
    values.push_back({label, kNaN, "in_no_batch_of_100_cells_or_fewer_than_10_cells"});
  for (std::size_t col = 0; col < distances->size(); ++col) {
    std::vector<double> embedding, consensus;
    for (std::size_t row = 0; row < distances->size(); ++row) {
      const std::size_t at = row * distances->size() + col;
      if (std::isnan(distances->consensus[at])) continue;
      embedding.push_back(distances->embedding[at]);
      consensus.push_back(distances->consensus[at]);
    }
    LabelValue& value = values[static_cast<std::size_t>(distances->labels[col])];
    value.value = agreement(embedding, consensus);
    value.note = std::isnan(value.value) ? "distances_do_not_vary" : "";
  }
  MetricValue made = mean_of_labels(std::move(values));
  if (std::isnan(made.value)) made.note = "distances_do_not_vary";
  return made;
}

}  // namespace scvet::metrics
