#include "columnar/mapped_genes.h"

#include "store/convert.h"
#include "store/stored_matrix.h"

namespace scvet::io {
namespace {

class MappedGenes : public CellSource {
 public:
  MappedGenes(std::unique_ptr<CellSource> inner, std::vector<std::uint32_t> target, std::shared_ptr<const Table> var)
      : inner_(std::move(inner)), target_(std::move(target)), var_(std::move(var)), info_(inner_->info()) {
    info_.n_genes = var_->rows();
  }
  const MatrixInfo& info() const override { return info_; }
  const Table& var() const override { return *var_; }
  std::int64_t chunk_cells() const override { return inner_->chunk_cells(); }

  void read(std::int64_t first, std::int64_t count, CellChunk& chunk) override {
    inner_->read(first, count, chunk);
    std::size_t kept = 0;
    for (std::size_t cell = 0; cell < static_cast<std::size_t>(chunk.n_cells); ++cell) {
      const auto begin = static_cast<std::size_t>(chunk.indptr[cell]);
      const auto end = static_cast<std::size_t>(chunk.indptr[cell + 1]);
      chunk.indptr[cell] = static_cast<std::int64_t>(kept);
      for (std::size_t at = begin; at < end; ++at) {
        const std::uint32_t gene = target_[chunk.genes[at]];
        if (gene == kNoIndex) continue;
        chunk.genes[kept] = gene;
        chunk.values[kept++] = chunk.values[at];
      }
    }
    chunk.indptr[static_cast<std::size_t>(chunk.n_cells)] = static_cast<std::int64_t>(kept);
    chunk.genes.resize(kept);
    chunk.values.resize(kept);
    normalise_rows(chunk);
  }

 private:
  std::unique_ptr<CellSource> inner_;
  std::vector<std::uint32_t> target_;
  std::shared_ptr<const Table> var_;
  MatrixInfo info_;
};

}  // namespace

std::unique_ptr<CellSource> mapped_genes_source(std::unique_ptr<CellSource> inner, std::vector<std::uint32_t> target,
                                                std::shared_ptr<const Table> var) {
  return std::make_unique<MappedGenes>(std::move(inner), std::move(target), std::move(var));
}

}  // namespace scvet::io
