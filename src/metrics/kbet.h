// kBET inside labels.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "batch_input.h"
#include "scvet/metrics/metric.h"

namespace scvet::metrics {

// What is tested of one label: the cells of the connected parts of its graph that are large enough.
struct KbetLabel {
  double decided = 0;                    // the label's score where `reason` is set: NaN or 0
  std::string reason = {};               // why no cell is tested; "": they are
  std::vector<std::int64_t> cells = {};  // of the input, ascending
  std::vector<std::int32_t> batch = {};  // of each of them, from 0
  std::vector<double> share = {};        // of each batch among them
  graph::WeightedGraph graph = {};       // among them
  std::int64_t n_neighbours = 0;         // beside the cell itself
};

// `fuzzy`: the graph of all cells.
KbetLabel kbet_label(const LabelBatches& label, const graph::WeightedGraph& fuzzy);

// Number of eigenpairs of each label: min(100, cells - 1), and for kPeer no more than any label before it that got so far.
std::vector<std::int64_t> kbet_components(const std::vector<KbetLabel>& labels, KbetLimit limit);

// P(chi-square >= sum over batches of (observed - expected)^2 / expected) for each list of neighbours.
std::vector<double> kbet_p_values(const graph::Neighbours& neighbours, const KbetLabel& label);

}  // namespace scvet::metrics
