// Metrics of an embedding against labels and batches. Variants: src/metrics/bio, batch and extra/<name>.cpp.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "scvet/base/csr_view.h"
#include "scvet/base/matrix_view.h"
#include "scvet/data/groups.h"
#include "scvet/graph/fuzzy_graph.h"
#include "scvet/graph/neighbours.h"

namespace scvet::metrics {

struct ScgraphDistances;

// How kBET limits the eigenpairs of a label: kReset for each label anew; kPeer carries the smallest limit over.
enum class KbetLimit { kReset, kPeer };

// What a metric may look at: the cells that are scored, none without a label (nor, where there are batches, a batch).
// Whoever calls fills what the record's `needs` says.
struct MetricInput {
  MatrixView<const float> x;                      // cells x dimensions, finite
  const Groups* labels = nullptr;                 // always there
  const Groups* batches = nullptr;                // null: no batch column
  const graph::Neighbours* neighbours = nullptr;  // self first, k = min(90, max(1, n - 1))
  const graph::WeightedGraph* fuzzy = nullptr;    // of the first min(50, k) entries
  std::span<const std::int32_t> clusters = {};    // of each cell
  KbetLimit kbet_limit = KbetLimit::kReset;
  MatrixView<const float> pca = {};  // of the same cells: extras that compare with it
  CsrView counts = {};               // of the same cells: extras that read expression
  // Left here by the first of the scGraph metrics for the others. Metrics of one input are computed one after another.
  mutable std::shared_ptr<const ScgraphDistances> scgraph = {};
};

// Bits of MetricRecord::needs.
enum Need : unsigned {
  kNeedsNeighbours = 1,
  kNeedsFuzzy = 2,
  kNeedsClusters = 4,
  kNeedsBatches = 8,
  kNeedsPca = 16,
  kNeedsCounts = 32
};

struct LabelValue {
  std::int32_t label;
  double value;  // NaN: skipped, `note` says why
  std::string note;
};

struct MetricValue {
  double value = std::numeric_limits<double>::quiet_NaN();
  std::string note = {};                // in the tables' words; never empty where value is NaN
  std::vector<LabelValue> labels = {};  // where the metric is a mean over labels
  std::vector<double> cells = {};       // one a cell where it is a mean or median over cells; NaN: not scored
};

struct MetricRecord {
  const char* name;       // as in the tables: NMI, cLISI, Acc@kNN, ...
  const char* label;      // for people
  const char* source;     // paper or DOI
  const char* group;      // bio_conservation, batch_mixing, extra
  const char* family;     // clustering, separation, neighbourhood, batch mixing; "" outside the 13
  int order;              // place in the tables, from 0 within the group
  double least, most;     // range of the values; larger is better for all
  const char* chance;     // what an embedding without information scores, in words
  const char* undefined;  // when the value is NaN, in words
  const char* version;    // of this definition; changes with any change of values
  unsigned needs;         // bits of Need
  // Fills one value; an input that is undefined is NaN with a note, never an exception.
  MetricValue (*compute)(const MetricInput& input);
  // Folds are dealt in the order of the cells: another order is another draw, and moves the value as a draw does.
  bool follows_order = false;
};

// The tables that cmake/Variants.cmake writes, sorted by file name.
std::span<const MetricRecord* const> bio();
std::span<const MetricRecord* const> batch();
std::span<const MetricRecord* const> extra();
// One group in the tables' row order ("bio_conservation", "batch_mixing", "extra").
std::vector<const MetricRecord*> metrics_of(const std::string& group);

}  // namespace scvet::metrics
