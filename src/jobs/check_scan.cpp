#include "check_scan.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "scvet/base/progress.h"

namespace scvet::jobs {
namespace {

constexpr std::int64_t kProbed = 200'000;

class Prober {
 public:
  explicit Prober(const MatrixInfo& info)
      : dense_(info.kind == "ndarray"),
        n_genes_(info.n_genes),
        step_(std::max<std::int64_t>(info.stored / kProbed, 1)) {}

  void add(const CellChunk& chunk) {
    for (std::int64_t row = 0; row < chunk.n_cells; ++row) {
      const std::int64_t begin = chunk.indptr[static_cast<std::size_t>(row)];
      const std::int64_t end = chunk.indptr[static_cast<std::size_t>(row) + 1];
      const std::int64_t start = dense_ ? (chunk.first_cell + row) * n_genes_ : stored_;
      for (std::int64_t at = begin; at < end; ++at) {
        const std::int64_t place = start + (dense_ ? chunk.genes[static_cast<std::size_t>(at)] : at - begin);
        if (place % step_ == 0) look(chunk.values[static_cast<std::size_t>(at)]);
      }
      stored_ += dense_ ? n_genes_ : end - begin;
      // Zeros of a dense matrix are stored, too, and do not come in chunks.
      if (dense_ && end - begin < n_genes_) look(0);
    }
  }
  ValueProbe finish() const { return probe_; }

 private:
  void look(double value) {
    if (!(value <= probe_.max)) probe_.max = value;  // the first is compared with NaN
    const double whole = std::nearbyint(value);
    if (!(std::abs(value - whole) <= 1e-6 + 1e-5 * std::abs(whole))) probe_.all_whole = false;
  }

  bool dense_;
  std::int64_t n_genes_, step_, stored_ = 0;
  ValueProbe probe_{true, std::numeric_limits<double>::quiet_NaN()};
};

void add_totals(const CellChunk& chunk, std::vector<double>& totals) {
  for (std::size_t at = 0; at < chunk.genes.size(); ++at)
    if (!std::isnan(chunk.values[at])) totals[chunk.genes[at]] += chunk.values[at];
}

void add_batches(const CellChunk& chunk, const Groups& groups, std::vector<BatchValues>& batches) {
  for (std::int64_t row = 0; row < chunk.n_cells; ++row) {
    const std::int32_t group = groups.of_cell[static_cast<std::size_t>(chunk.first_cell + row)];
    if (group < 0) continue;
    BatchValues& batch = batches[static_cast<std::size_t>(group)];
    for (auto at = static_cast<std::size_t>(chunk.indptr[static_cast<std::size_t>(row)]);
         at < static_cast<std::size_t>(chunk.indptr[static_cast<std::size_t>(row) + 1]); ++at) {
      const double value = chunk.values[at];
      batch.n_nonzero += value != 0;
      if (!std::isfinite(value) || std::abs(value - std::nearbyint(value)) <= 1e-6) continue;
      if (batch.n_fractional++ == 0) batch.example = {chunk.first_cell + row, chunk.genes[at], value};
    }
  }
}

}  // namespace

MatrixScan scan_matrix(CellSource& source, const Groups* batches) {
  const MatrixInfo& info = source.info();
  MatrixScan scan;
  scan.gene_totals.assign(static_cast<std::size_t>(info.n_genes), 0.0);
  if (batches) scan.batches.resize(batches->names.size());
  ValueAccumulator values(info);
  Prober prober(info);
  ProgressScope progress("reading " + info.name, info.n_cells);
  CellChunk chunk;
  const std::int64_t step = std::max<std::int64_t>(source.chunk_cells(), 1);
  for (std::int64_t first = 0; first < info.n_cells; first += step) {
    throw_if_stopped();
    const std::int64_t count = std::min(step, info.n_cells - first);
    source.read(first, count, chunk);
    values.add(chunk);
    prober.add(chunk);
    add_totals(chunk, scan.gene_totals);
    if (batches) add_batches(chunk, *batches, scan.batches);
    progress.advance(count);
  }
  scan.probe = prober.finish();
  scan.values = values.finish(source.var().names);
  return scan;
}

}  // namespace scvet::jobs
