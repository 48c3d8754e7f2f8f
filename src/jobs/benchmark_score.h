// One embedding against its labels and batches: every metric that was asked for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scvet/data/csr_matrix.h"
#include "scvet/data/groups.h"
#include "scvet/data/score_table.h"
#include "scvet/jobs/benchmark.h"
#include "scvet/jobs/embedding_cells.h"
#include "scvet/metrics/metric.h"

namespace scvet::jobs {

// Values below a metric's own: of labels and of cells.
struct MetricDetail {
  std::string metric;
  std::vector<metrics::LabelValue> labels;
  std::vector<double> cells;  // one a cell scored, empty where the metric has none
};

// The cells that one group of metrics scored.
struct ScoredPart {
  std::vector<std::int64_t> cells;  // of the embedding, ascending
  Groups labels, batches;           // batches: no names where there is no batch column
  std::vector<MetricDetail> details;
};

struct SampleScores {
  std::vector<ScoreRow> bio, batch, extra;  // in the tables' row order; empty where not asked for
  ScoredPart bio_part, batch_part;
  std::vector<std::int32_t> clusters;  // of bio_part.cells
};

// What extras read beside the embedding: the raw counts of the same cells, in the embedding's order.
struct ExtraInput {
  const CsrMatrix* counts = nullptr;
  const std::vector<std::string>* gene_names = nullptr;
};

SampleScores score_sample(const EmbeddingCells& cells, const std::string& path, const std::string& sample_id,
                          const std::string& method, const BenchmarkOptions& options, const std::string& cache_folder,
                          const ExtraInput& extra);

}  // namespace scvet::jobs
