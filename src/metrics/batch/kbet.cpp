// kBET: do the neighbours of a cell, within its label, come from the batches in the label's proportions?
#include "kbet.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "kbet_diffusion.h"
#include "scvet/base/error.h"
#include "scvet/base/parallel.h"

namespace scvet::metrics {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kLevel = 0.05;

struct Outcome {
  std::vector<double> coordinates = {};  // diffusion coordinates of the label's cells
  std::string failed = {};
};

// Largest label first, so that no worker ends with it.
std::vector<std::size_t> largest_first(const std::vector<KbetLabel>& labels) {
  std::vector<std::size_t> order(labels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return labels[a].cells.size() > labels[b].cells.size(); });
  return order;
}

// What goes wrong in one label stays there.
std::vector<Outcome> diffuse(const std::vector<KbetLabel>& labels, const std::vector<std::int64_t>& components) {
  std::vector<Outcome> outcomes(labels.size());
  const std::vector<std::size_t> order = largest_first(labels);
  parallel_for(std::ssize(order), [&](std::int64_t task, int) {
    const std::size_t at = order[static_cast<std::size_t>(task)];
    if (!labels[at].reason.empty()) return;
    try {
      outcomes[at].coordinates = diffusion_coordinates(labels[at].graph, components[at]);
    } catch (const InternalError& error) {
      outcomes[at].failed = error.what();
      std::replace(outcomes[at].failed.begin(), outcomes[at].failed.end(), ';', ',');
    }
  });
  return outcomes;
}

// Share of the cells whose neighbours agree with the label's proportions; fills `accepted` for them.
double acceptance(const KbetLabel& label, const std::vector<double>& coordinates, std::vector<double>& accepted) {
  const auto n_cells = std::ssize(label.cells);
  const MatrixView<const double> x(coordinates.data(), n_cells, std::ssize(coordinates) / n_cells);
  const std::vector<double> p = kbet_p_values(graph::exact_neighbours(x, label.n_neighbours + 1), label);
  std::int64_t n_accepted = 0;
  for (std::size_t at = 0; at < p.size(); ++at) {
    accepted[static_cast<std::size_t>(label.cells[at])] = p[at] >= kLevel ? 1 : 0;
    n_accepted += p[at] >= kLevel;
  }
  return static_cast<double>(n_accepted) / static_cast<double>(n_cells);
}

std::vector<KbetLabel> labels_of(const MetricInput& input) {
  const std::vector<LabelBatches> batches = batches_of_labels(input);
  std::vector<KbetLabel> labels(batches.size());
  parallel_for(std::ssize(batches), [&](std::int64_t at, int) {
    labels[static_cast<std::size_t>(at)] = kbet_label(batches[static_cast<std::size_t>(at)], *input.fuzzy);
  });
  return labels;
}

MetricValue compute(const MetricInput& input) {
  MetricValue made;
  made.note = batches_undefined(input);
  if (!made.note.empty()) return made;
  const std::vector<KbetLabel> labels = labels_of(input);
  const std::vector<Outcome> outcomes = diffuse(labels, kbet_components(labels, input.kbet_limit));

  std::vector<double> cells(static_cast<std::size_t>(input.x.rows), kNaN);
  std::vector<LabelValue> values;
  std::int64_t n_failed = 0;
  for (std::size_t at = 0; at < labels.size(); ++at) {
    LabelValue value{static_cast<std::int32_t>(at), labels[at].decided, labels[at].reason};
    if (!outcomes[at].failed.empty()) {
      value = {value.label, kNaN, "metric_failed=" + outcomes[at].failed};
      ++n_failed;
    } else if (value.note.empty()) {
      value.value = acceptance(labels[at], outcomes[at].coordinates, cells);
    }
    values.push_back(std::move(value));
  }
  made = mean_of_labels(std::move(values));
  made.cells = std::move(cells);
  if (std::isnan(made.value)) made.note = "no_label_with_10_cells_in_two_batches";
  if (n_failed > 0) made.note = "partial;failed_labels=" + std::to_string(n_failed);
  return made;
}

}  // namespace

extern const MetricRecord kbet_metric = {
    .name = "kBET",
    .label = "kBET acceptance within labels, on diffusion distances",
    .source = "Buettner et al. 2019, doi:10.1038/s41592-018-0254-1",
    .group = "batch_mixing",
    .family = "batch mixing",
    .order = 0,
    .least = 0,
    .most = 1,
    .chance =
        "About 0.95: without information neighbours are drawn in the label's proportions, and a test at 0.05 keeps "
        "95 % of the cells.",
    .undefined = "Fewer than two batches; no label with 10 cells in two batches.",
    .version = "1",
    .needs = kNeedsBatches | kNeedsFuzzy,
    .compute = compute};

}  // namespace scvet::metrics
