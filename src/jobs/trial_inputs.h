// What the stages of a trial read: counts with their design, embeddings joined by cell name.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "scvet/data/cells.h"
#include "scvet/io/embedding.h"
#include "scvet/jobs/trial.h"
#include "scvet/trial/design.h"
#include "scvet/trial/embedding.h"
#include "scvet/trial/lock_tables.h"
#include "scvet/trial/screen.h"

namespace scvet::jobs {

struct TrialScreenFile {
  std::unique_ptr<CellFile> file;
  std::unique_ptr<CellSource> counts;
  std::string layer;  // "X", "layers/counts"
  trial::Design design;
};
// Columns are judged before values: column_missing, target_ambiguous, duplicate_names, then the layer.
TrialScreenFile open_screen(const TrialCounts& counts);

// Target gene of each of these rows; and rows.tsv.
std::vector<std::string> targets_of(const trial::Design& design, std::span<const std::int64_t> rows);
std::vector<trial::RowLine> row_lines(const trial::Design& design, const trial::Screen& scan, int min_cells);

// What joins an embedding to the screen's cells and passes over it once or twice.
struct TrialEmbeddingPass {
  std::int64_t n_dims = 0;
  std::int64_t n_extra = 0;  // cells of the embedding that the screen lacks
  std::string digest, where, key;
  std::vector<double> z;  // eligible rows x n_dims
  trial::EmbeddingFlags flags;
};
// `record_hash` may be empty. cells_unmatched, duplicate_names, nonfinite_embedding.
TrialEmbeddingPass read_trial_embedding(const TrialEmbedding& embedding, const std::string& counts_path,
                                        const trial::Design& design, std::span<const std::int64_t> eligible,
                                        std::span<const std::uint64_t> record_hash);

}  // namespace scvet::jobs
