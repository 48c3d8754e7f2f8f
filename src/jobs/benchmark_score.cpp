#include "benchmark_score.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "neighbour_cache.h"
#include "scvet/base/error.h"
#include "scvet/embed/method.h"
#include "scvet/graph/fuzzy_graph.h"
#include "scvet/metrics/batch_subsample.h"
#include "scvet/metrics/clusters.h"

namespace scvet::jobs {
namespace {

using metrics::MetricRecord;

constexpr std::int64_t kListLength = 90;  // cLISI, iLISI: 3 x 30
constexpr std::int64_t kLeidenEntries = 15, kKbetEntries = 50;

// The cells of one group of metrics and what those share, each made once.
struct Scoring {
  ScoredPart part;
  std::vector<float> values;
  std::int64_t n_dims = 0;
  std::string note;  // that every row of the group gets first
  graph::Neighbours neighbours;
  std::optional<graph::WeightedGraph> fuzzy;
  std::vector<std::int32_t> clusters;
  std::string cluster_note;
  MatrixView<const float> x() const { return {values.data(), static_cast<std::int64_t>(part.cells.size()), n_dims}; }
};

std::string joined_note(std::initializer_list<std::string> notes) {
  std::string text;
  for (const std::string& note : notes)
    if (!note.empty()) text += (text.empty() ? "" : ";") + note;
  return text;
}

struct Selection {
  std::vector<std::int64_t> cells;
  Groups labels, batches;
};

// Cells with coordinates, a label and, where batches are asked for, a batch.
Selection select_scored(const EmbeddingCells& cells, const std::string& path, const BenchmarkOptions& options) {
  const Groups labels = make_groups(require_column(cells.obs, options.label_key, path, "--label-key"));
  Groups batches;
  if (!options.batch_key.empty())
    batches = make_groups(require_column(cells.obs, options.batch_key, path, "--batch-key"));
  Selection selected;
  for (const std::int64_t cell : cells.embedded_cells) {
    const auto at = static_cast<std::size_t>(cell);
    if (labels.of_cell[at] < 0 || (!batches.of_cell.empty() && batches.of_cell[at] < 0)) continue;
    selected.cells.push_back(cell);
  }
  if (selected.cells.empty())
    throw DataError(fmt::format("{}: no cell has coordinates{} a label in obs column '{}'", path,
                                options.batch_key.empty() ? " and" : ", a batch and", options.label_key),
                    {.file = path, .field = options.label_key, .reason = "no_cells"});
  selected.labels = select_groups(labels, selected.cells);
  if (!batches.of_cell.empty()) selected.batches = select_groups(batches, selected.cells);
  return selected;
}

Scoring start_scoring(const EmbeddingCells& cells, Selection selection) {
  Scoring scoring;
  scoring.n_dims = cells.n_dims;
  scoring.values = select_rows(cells.view(), selection.cells);
  scoring.part = {std::move(selection.cells), std::move(selection.labels), std::move(selection.batches), {}};
  return scoring;
}

// The part of the cells that batch metrics look at under --batch-max-cells.
Selection at_places(const Selection& all, const std::vector<std::int64_t>& places) {
  Selection part;
  for (const std::int64_t at : places) part.cells.push_back(all.cells[static_cast<std::size_t>(at)]);
  part.labels = select_groups(all.labels, places);
  part.batches = select_groups(all.batches, places);
  return part;
}

unsigned needs_of(const std::string& group) {
  unsigned needs = 0;
  for (const MetricRecord* record : metrics::metrics_of(group)) needs |= record->needs;
  return needs;
}

void prepare(Scoring& scoring, unsigned needs, const BenchmarkOptions& options, const std::string& cache_folder) {
  const bool leiden = options.clustering == "leiden";
  const bool wants_clusters = (needs & metrics::kNeedsClusters) != 0 && scoring.clusters.empty();
  const bool wants_lists =
      (needs & (metrics::kNeedsNeighbours | metrics::kNeedsFuzzy)) != 0 || (wants_clusters && leiden);
  if (wants_lists && scoring.neighbours.n_cells == 0)
    scoring.neighbours = cached_neighbours(cache_folder, scoring.x(),
                                           std::min(kListLength, std::max<std::int64_t>(1, scoring.x().rows - 1)));
  if ((needs & metrics::kNeedsFuzzy) != 0 && !scoring.fuzzy)
    scoring.fuzzy = graph::fuzzy_graph(scoring.neighbours, kKbetEntries);
  if (!wants_clusters) return;
  metrics::Clustering found;
  if (leiden) {
    const auto selection =
        options.selection == "best_nmi" ? metrics::LeidenSelection::kBestNmi : metrics::LeidenSelection::kMatchLabels;
    found =
        metrics::leiden_scan(graph::fuzzy_graph(scoring.neighbours, kLeidenEntries), scoring.part.labels, selection);
  } else {
    found = metrics::kmeans_clusters(scoring.x(), scoring.part.labels);
  }
  scoring.clusters = std::move(found.cluster);
  scoring.cluster_note = std::move(found.note);
}

metrics::MetricInput input_of(const Scoring& scoring, const BenchmarkOptions& options) {
  metrics::MetricInput input;
  input.x = scoring.x();
  input.labels = &scoring.part.labels;
  input.batches = scoring.part.batches.names.empty() ? nullptr : &scoring.part.batches;
  input.neighbours = &scoring.neighbours;
  input.fuzzy = scoring.fuzzy ? &*scoring.fuzzy : nullptr;
  input.clusters = scoring.clusters;
  input.kbet_limit = options.kbet == "peer" ? metrics::KbetLimit::kPeer : metrics::KbetLimit::kReset;
  return input;
}

// What the rows of one sample have in common.
struct RowFrame {
  std::string sample_id, method, dropped_note;
};

std::vector<ScoreRow> score_group(const std::string& group, Scoring& scoring, const metrics::MetricInput& input,
                                  const RowFrame& frame) {
  std::vector<ScoreRow> rows;
  for (const MetricRecord* record : metrics::metrics_of(group)) {
    metrics::MetricValue value = record->compute(input);
    const bool clustered = (record->needs & metrics::kNeedsClusters) != 0;
    ScoreRow row;
    row.sample_id = frame.sample_id;
    row.method = frame.method;
    row.metric = record->name;
    row.value = value.value;
    row.note =
        joined_note({scoring.note, clustered ? scoring.cluster_note : std::string(), value.note, frame.dropped_note});
    row.metric_group = group;
    row.n_cells = input.x.rows;
    row.n_dims = input.x.cols;
    row.n_labels = scoring.part.labels.size();
    if (group != "bio_conservation" && input.batches) row.n_batches = input.batches->size();
    rows.push_back(std::move(row));
    if (!value.labels.empty() || !value.cells.empty())
      scoring.part.details.push_back({record->name, std::move(value.labels), std::move(value.cells)});
  }
  return rows;
}

// `pca` of the cells scored, from their counts.
std::vector<float> pca_of(const CsrMatrix& counts, const std::vector<std::string>& genes,
                          const std::vector<std::string>& names, std::int64_t& n_dims) {
  embed::MethodInput input;
  input.counts = counts.view();
  input.cell_names = names;
  input.gene_names = genes;
  embed::MethodOutput output = embed::method("pca").embed(input);
  n_dims = output.n_dims;
  return std::move(output.values);
}

std::vector<ScoreRow> score_extra(const EmbeddingCells& cells, Scoring& scoring, const BenchmarkOptions& options,
                                  const RowFrame& frame, const ExtraInput& extra) {
  metrics::MetricInput input = input_of(scoring, options);
  CsrMatrix counts;
  std::vector<float> pca;
  if (extra.counts) {
    counts = select_cells(extra.counts->view(), scoring.part.cells);
    std::vector<std::string> names;
    for (const std::int64_t cell : scoring.part.cells) names.push_back(cells.obs.names[static_cast<std::size_t>(cell)]);
    std::int64_t n_dims = 0;
    pca = pca_of(counts, *extra.gene_names, names, n_dims);
    input.counts = counts.view();
    input.pca = {pca.data(), counts.n_cells, n_dims};
  }
  return score_group("extra", scoring, input, frame);
}

}  // namespace

SampleScores score_sample(const EmbeddingCells& cells, const std::string& path, const std::string& sample_id,
                          const std::string& method, const BenchmarkOptions& options, const std::string& cache_folder,
                          const ExtraInput& extra) {
  const bool wants_bio = options.metrics != "batch", wants_batch = options.metrics != "bio";
  Selection selection = select_scored(cells, path, options);
  RowFrame frame{sample_id, method, {}};
  if (cells.n_missing() > 0) frame.dropped_note = fmt::format("dropped_nan_rows={}", cells.n_missing());

  SampleScores scores;
  std::optional<Scoring> reduced;
  if (wants_batch) {
    const metrics::BatchSubsample kept =
        metrics::batch_subsample(selection.labels, selection.batches, options.batch_max_cells);
    if (!kept.note.empty()) {
      reduced = start_scoring(cells, at_places(selection, kept.cells));
      reduced->note = kept.note;
    }
  }
  Scoring whole = start_scoring(cells, std::move(selection));
  if (wants_bio) {
    prepare(whole, needs_of("bio_conservation"), options, cache_folder);
    scores.bio = score_group("bio_conservation", whole, input_of(whole, options), frame);
  }
  if (wants_batch) {
    Scoring& scoring = reduced ? *reduced : whole;
    prepare(scoring, needs_of("batch_mixing"), options, cache_folder);
    scores.batch = score_group("batch_mixing", scoring, input_of(scoring, options), frame);
  }
  if (options.extra) {
    prepare(whole, needs_of("extra"), options, cache_folder);
    scores.extra = score_extra(cells, whole, options, frame, extra);
  }
  scores.clusters = std::move(whole.clusters);
  scores.bio_part = std::move(whole.part);
  if (reduced) scores.batch_part = std::move(reduced->part);
  return scores;
}

}  // namespace scvet::jobs
