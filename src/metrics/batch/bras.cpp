// Batch removal adapted silhouette: does a cell lie as near to the other batches of its label as to its own?
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "batch_input.h"
#include "scvet/base/parallel.h"

namespace scvet::metrics {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kZeroNorm = 1e-12;
constexpr double kNoDistance = 1e-24;  // below it two directions differ by rounding alone
constexpr std::int64_t kTile = 256;
constexpr const char* kDefinition = "bras_definition=cosine_mean_other";

std::vector<double> row_lengths(MatrixView<const float> x) {
  std::vector<double> lengths(static_cast<std::size_t>(x.rows));
  parallel_for((x.rows + kTile - 1) / kTile, [&](std::int64_t tile, int) {
    for (std::int64_t row = tile * kTile; row < std::min(x.rows, (tile + 1) * kTile); ++row) {
      double sum = 0;
      for (const float value : x.row_span(row)) sum += static_cast<double>(value) * static_cast<double>(value);
      lengths[static_cast<std::size_t>(row)] = std::sqrt(sum);
    }
  });
  return lengths;
}

// In the words of the peer's tables; "" where every row has a direction.
std::string undefined_rows(const std::vector<double>& lengths) {
  std::int64_t not_finite = 0, zero = 0;
  for (const double length : lengths) {
    not_finite += !std::isfinite(length);
    zero += length <= kZeroNorm;
  }
  const std::string words = "ValueError:BRAS cosine distance is undefined for ";
  if (not_finite > 0) return words + "nonfinite_rows=" + std::to_string(not_finite);
  if (zero > 0) return words + "zero_norm_rows=" + std::to_string(zero);
  return "";
}

// Rows of x at length 1.
struct Directions {
  MatrixView<const float> x;
  std::vector<double> lengths;

  void unit(std::int64_t cell, std::vector<double>& into) const {
    const double length = lengths[static_cast<std::size_t>(cell)];
    into.resize(static_cast<std::size_t>(x.cols));
    for (std::int64_t col = 0; col < x.cols; ++col)
      into[static_cast<std::size_t>(col)] = static_cast<double>(x(cell, col)) / length;
  }
};

double squared_distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sums[4] = {0, 0, 0, 0};
  std::size_t at = 0;
  for (; at + 4 <= a.size(); at += 4)
    for (std::size_t lane = 0; lane < 4; ++lane) {
      const double gap = a[at + lane] - b[at + lane];
      sums[lane] += gap * gap;
    }
  for (; at < a.size(); ++at) sums[0] += (a[at] - b[at]) * (a[at] - b[at]);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// One batch within one label. The cosine distance of unit vectors u and v is |u - v|^2 / 2, so its sum over n cells with
// mean m is (n |u - m|^2 + sum |v - m|^2) / 2: no pair is visited, and as nothing cancels, the sums stay precise where
// all rows point almost the same way, which 1 - u.v does not.
struct Part {
  std::size_t label;
  std::int32_t batch;
  double n_cells;
  std::vector<double> mean = {};  // of its unit vectors
  double spread = 0;              // sum of their squared distances to it

  double distances_from(const std::vector<double>& unit) const {
    return (n_cells * squared_distance(unit, mean) + spread) / 2;
  }
};

void fill(Part& part, const LabelBatches& label, const Directions& directions) {
  part.mean.assign(static_cast<std::size_t>(directions.x.cols), 0.0);
  std::vector<double> unit;
  const auto each_cell = [&](const auto& use) {
    for (std::size_t at = 0; at < label.cells.size(); ++at) {
      if (label.batch[at] != part.batch) continue;
      directions.unit(label.cells[at], unit);
      use();
    }
  };
  each_cell([&] {
    for (std::size_t col = 0; col < unit.size(); ++col) part.mean[col] += unit[col];
  });
  for (double& value : part.mean) value /= part.n_cells;
  each_cell([&] { part.spread += squared_distance(unit, part.mean); });
}

// 1 - |silhouette| of a cell of batch `own`; `parts`: the batches of its label.
double cell_score(const std::vector<double>& unit, std::size_t own, std::span<const Part> parts) {
  if (parts[own].n_cells < 2) return 1;  // no other cell of its batch: silhouette 0
  double others = 0, n_others = 0;
  for (std::size_t batch = 0; batch < parts.size(); ++batch) {
    if (batch == own) continue;
    others += parts[batch].distances_from(unit);
    n_others += parts[batch].n_cells;
  }
  const double a = parts[own].distances_from(unit) / (parts[own].n_cells - 1), b = others / n_others;
  if (std::max(a, b) < kNoDistance) return 1;
  return 1 - std::fabs(b - a) / std::max(a, b);
}

double score_label(const LabelBatches& label, std::span<const Part> parts, const Directions& directions,
                   std::vector<double>& cells) {
  parallel_for((label.n_cells() + kTile - 1) / kTile, [&](std::int64_t tile, int) {
    std::vector<double> unit;
    for (std::int64_t at = tile * kTile; at < std::min(label.n_cells(), (tile + 1) * kTile); ++at) {
      const std::int64_t cell = label.cells[static_cast<std::size_t>(at)];
      directions.unit(cell, unit);
      const auto own = static_cast<std::size_t>(label.batch[static_cast<std::size_t>(at)]);
      cells[static_cast<std::size_t>(cell)] = cell_score(unit, own, parts);
    }
  });
  double sum = 0;
  for (const std::int64_t cell : label.cells) sum += cells[static_cast<std::size_t>(cell)];
  return sum / static_cast<double>(label.n_cells());
}

const char* why_skipped(const LabelBatches& label) {
  if (label.n_batches() < 2) return "single_batch";
  if (label.n_batches() == label.n_cells()) return "one_cell_per_batch";
  return "";
}

MetricValue score(const Directions& directions, const std::vector<LabelBatches>& labels) {
  std::vector<Part> parts;
  std::vector<std::size_t> first = {0};  // part of each label
  for (std::size_t at = 0; at < labels.size(); ++at) {
    for (std::int32_t batch = 0; *why_skipped(labels[at]) == 0 && batch < labels[at].n_batches(); ++batch)
      parts.push_back({at, batch, static_cast<double>(labels[at].batch_cells[static_cast<std::size_t>(batch)])});
    first.push_back(parts.size());
  }
  parallel_for(std::ssize(parts), [&](std::int64_t at, int) {
    Part& part = parts[static_cast<std::size_t>(at)];
    fill(part, labels[part.label], directions);
  });

  std::vector<double> cells(static_cast<std::size_t>(directions.x.rows), kNaN);
  std::vector<LabelValue> values;
  for (std::size_t at = 0; at < labels.size(); ++at) {
    LabelValue value{static_cast<std::int32_t>(at), kNaN, why_skipped(labels[at])};
    const std::span<const Part> own(parts.data() + first[at], parts.data() + first[at + 1]);
    if (!own.empty()) value.value = score_label(labels[at], own, directions, cells);
    values.push_back(std::move(value));
  }
  MetricValue made = mean_of_labels(std::move(values));
  made.cells = std::move(cells);
  return made;
}

MetricValue compute(const MetricInput& input) {
  MetricValue made;
  if (const std::string undefined = batches_undefined(input); !undefined.empty()) {
    made.note = undefined + ";" + kDefinition;
    return made;
  }
  const Directions directions{input.x, row_lengths(input.x)};
  std::string failed = undefined_rows(directions.lengths);
  if (failed.empty()) {
    made = score(directions, batches_of_labels(input));
    if (std::isnan(made.value)) failed = "ValueError:no label has several batches and a batch of several cells";
  }
  made.note = failed.empty() ? kDefinition : std::string(kDefinition) + ";metric_failed=" + failed;
  return made;
}

}  // namespace

extern const MetricRecord bras_metric = {
    .name = "BRAS",
    .label = "Batch removal adapted silhouette (cosine, all other batches pooled)",
    .source = "Rautenstrauch and Ohler 2025, doi:10.1038/s41587-025-02743-4",
    .group = "batch_mixing",
    .family = "batch mixing",
    .order = 1,
    .least = 0,
    .most = 1,
    .chance = "Near 1: without information no batch of a label lies apart.",
    .undefined =
        "Fewer than two batches; a cell whose embedding is all zero, as it has no direction; no label with several "
        "batches and a batch of several cells.",
    .version = "1",
    .needs = kNeedsBatches,
    .compute = compute};

}  // namespace scvet::metrics
