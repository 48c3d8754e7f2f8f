// Dense matrices, cells in rows.
#include <algorithm>

#include "scvet/base/parallel.h"
#include "store/stored_matrix.h"

namespace scvet::io {
namespace {

constexpr std::int64_t kChunkBytes = 16 << 20;  // larger ones leave the processor's caches

class DenseSource : public CellSource {
 public:
  DenseSource(const store::Group& parent, const std::string& member, MatrixInfo info, std::shared_ptr<const Table> var)
      : info_(std::move(info)), var_(std::move(var)), dataset_(parent.streamed_dataset(member)) {
    if (!dataset_->type().is_number())
      throw dataset_->error("expected numbers, found another type of data", "wrong_type");
    // A matrix of one gene, or of one cell, was once stored as a list.
    const bool list = dataset_->shape().size() == 1 && (info_.n_genes == 1 || info_.n_cells == 1);
    const bool fits =
        dataset_->shape().size() == 2 && dataset_->shape()[0] == info_.n_cells && dataset_->shape()[1] == info_.n_genes;
    if (!fits && !(list && dataset_->size() == info_.n_cells * info_.n_genes))
      throw dataset_->error("expected " + std::to_string(info_.n_cells) + " cells x " + std::to_string(info_.n_genes) +
                                " genes, found another shape",
                            "bad_shape");
    dataset_->check_claim(1);
    one_row_ = list && info_.n_genes != 1;
    info_.dtype = dataset_->type().dtype;
    info_.stored = dataset_->size();
  }
  const MatrixInfo& info() const override { return info_; }
  const Table& var() const override { return *var_; }

  void read(std::int64_t first, std::int64_t count, CellChunk& chunk) override {
    start_chunk(info_, first, count, chunk);
    const std::int64_t step = std::max<std::int64_t>(kChunkBytes / 8 / std::max<std::int64_t>(info_.n_genes, 1), 1);
    for (std::int64_t at = first; at < first + count; at += step) append(at, std::min(step, first + count - at), chunk);
  }

  std::int64_t chunk_cells() const override {
    const std::int64_t row = 8 * std::max<std::int64_t>(info_.n_genes, 1);
    std::int64_t cells = std::max<std::int64_t>(kChunkBytes / row, 1);
    // Whole chunks, so that none is decoded twice.
    const std::int64_t high = dataset_->chunk().empty() ? 1 : dataset_->chunk()[0];
    if (high < cells) cells -= cells % high;
    return std::clamp<std::int64_t>(cells, 1, std::max<std::int64_t>(info_.n_cells, 1));
  }

 private:
  void append(std::int64_t first, std::int64_t count, CellChunk& chunk) {
    const auto n_genes = static_cast<std::size_t>(info_.n_genes);
    buffer_.resize(static_cast<std::size_t>(count) * n_genes);
    dataset_->read_rows(one_row_ ? 0 : first, one_row_ ? info_.n_genes : count, buffer_);
    chunk.indptr.resize(chunk.indptr.size() + static_cast<std::size_t>(count));
    std::int64_t* ends = chunk.indptr.data() + chunk.indptr.size() - static_cast<std::size_t>(count);
    each_row(count, [&](std::int64_t cell, const double* row) {
      ends[cell] = static_cast<std::int64_t>(n_genes) - std::count(row, row + n_genes, 0.0);
    });
    for (std::int64_t cell = 0; cell < count; ++cell) ends[cell] += ends[cell - 1];
    chunk.genes.resize(static_cast<std::size_t>(chunk.indptr.back()));
    chunk.values.resize(chunk.genes.size());
    each_row(count, [&](std::int64_t cell, const double* row) {
      auto at = static_cast<std::size_t>(ends[cell - 1]);
      for (std::size_t gene = 0; gene < n_genes; ++gene) {
        if (row[gene] == 0) continue;
        chunk.genes[at] = static_cast<std::uint32_t>(gene);
        chunk.values[at++] = row[gene];
      }
    });
  }

  // body(cell, its row in the buffer), in threads.
  template <typename Body>
  void each_row(std::int64_t count, Body body) const {
    const std::int64_t rows_a_task = std::max<std::int64_t>((1 << 18) / std::max<std::int64_t>(info_.n_genes, 1), 1);
    parallel_for((count + rows_a_task - 1) / rows_a_task, [&](std::int64_t task, int) {
      const std::int64_t last = std::min(count, (task + 1) * rows_a_task);
      for (std::int64_t cell = task * rows_a_task; cell < last; ++cell)
        body(cell, buffer_.data() + cell * info_.n_genes);
    });
  }

  MatrixInfo info_;
  std::shared_ptr<const Table> var_;
  store::DatasetPtr dataset_;
  bool one_row_ = false;
  std::vector<double> buffer_;
};

}  // namespace

std::unique_ptr<CellSource> dense_source(const store::Group& parent, const std::string& member, MatrixInfo info,
                                         std::shared_ptr<const Table> var) {
  return std::make_unique<DenseSource>(parent, member, std::move(info), std::move(var));
}

}  // namespace scvet::io
