#include "cell_subset.h"

#include <algorithm>
#include <memory>

#include "scvet/io/format.h"
#include "scvet/io/h5ad_writer.h"

namespace scvet::jobs {
namespace {

// The chosen rows of another source.
class ChosenCells : public CellSource {
 public:
  ChosenCells(std::unique_ptr<CellSource> source, const std::vector<std::int64_t>& rows)
      : source_(std::move(source)), rows_(rows), info_(source_->info()) {
    info_.n_cells = static_cast<std::int64_t>(rows_.size());
    info_.stored = count_stored();
  }
  const MatrixInfo& info() const override { return info_; }
  const Table& var() const override { return source_->var(); }
  std::int64_t chunk_cells() const override { return source_->chunk_cells(); }

  void read(std::int64_t first, std::int64_t count, CellChunk& chunk) override {
    chunk = CellChunk{};
    chunk.first_cell = first;
    chunk.n_cells = count;
    chunk.indptr.assign(1, 0);
    for (std::int64_t cell = first; cell < first + count; ++cell) append(rows_[static_cast<std::size_t>(cell)], chunk);
  }

 private:
  // Keeps one chunk of the source at hand: ascending rows read it once.
  void load(std::int64_t row) {
    if (row >= loaded_.first_cell && row < loaded_.first_cell + loaded_.n_cells) return;
    source_->read(row, std::min(source_->chunk_cells(), source_->info().n_cells - row), loaded_);
  }
  void append(std::int64_t row, CellChunk& chunk) {
    load(row);
    const auto local = static_cast<std::size_t>(row - loaded_.first_cell);
    const std::int64_t start = loaded_.indptr[local], end = loaded_.indptr[local + 1];
    chunk.genes.insert(chunk.genes.end(), loaded_.genes.begin() + start, loaded_.genes.begin() + end);
    chunk.values.insert(chunk.values.end(), loaded_.values.begin() + start, loaded_.values.begin() + end);
    chunk.indptr.push_back(static_cast<std::int64_t>(chunk.genes.size()));
  }
  std::int64_t count_stored() {
    std::int64_t stored = 0;
    for (const std::int64_t row : rows_) {
      load(row);
      const auto local = static_cast<std::size_t>(row - loaded_.first_cell);
      stored += loaded_.indptr[local + 1] - loaded_.indptr[local];
    }
    return stored;
  }

  std::unique_ptr<CellSource> source_;
  const std::vector<std::int64_t>& rows_;
  MatrixInfo info_;
  CellChunk loaded_;
};

Embedding choose(const Embedding& all, const std::vector<std::int64_t>& rows) {
  Embedding chosen{all.name, static_cast<std::int64_t>(rows.size()), all.n_dims, {}};
  for (const std::int64_t row : rows) {
    const auto start = all.values.begin() + row * all.n_dims;
    chosen.values.insert(chosen.values.end(), start, start + all.n_dims);
  }
  return chosen;
}

}  // namespace

void write_cell_subset(const std::string& source, const std::string& target, const std::vector<std::int64_t>& rows) {
  const std::unique_ptr<CellFile> file = io::open_cells(source);
  const Table obs = select_rows(file->obs(), rows);
  std::vector<std::unique_ptr<ChosenCells>> matrices;
  io::H5adContent content;
  content.obs = &obs;
  content.var = &file->var();
  for (const MatrixInfo& info : file->matrices()) {
    matrices.push_back(std::make_unique<ChosenCells>(file->open_matrix(info.name), rows));
    if (info.name == "X")
      content.x = matrices.back().get();
    else if (info.name.starts_with("layers/"))
      content.layers.emplace_back(info.name.substr(7), matrices.back().get());
    else if (info.name == "raw/X")
      content.raw = matrices.back().get();
  }
  for (const NamedShape& array : file->obsm())
    if (array.shape.size() == 2) content.obsm.push_back(choose(file->read_obsm(array.name), rows));
  io::write_h5ad(target, content);
}

}  // namespace scvet::jobs
