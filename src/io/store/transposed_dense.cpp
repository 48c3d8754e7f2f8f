#include "store/transposed_dense.h"

#include <algorithm>

#include "scvet/base/error.h"
#include "scvet/base/parallel.h"
#include "scvet/base/progress.h"

namespace scvet::io {
namespace {

constexpr std::int64_t kBandBytes = 64 << 20;
// Of a matrix in one piece every band takes a read a gene: few and wide ones are faster.
constexpr std::int64_t kPieceBandBytes = 256 << 20;

class TransposedSource : public CellSource {
 public:
  TransposedSource(hdf5::Dataset dataset, MatrixInfo info, std::shared_ptr<const Table> var)
      : info_(std::move(info)), var_(std::move(var)), dataset_(std::move(dataset)) {
    if (!dataset_.type().is_number())
      throw dataset_.error("expected numbers, found another type of data", "wrong_type");
    const std::vector<std::int64_t>& shape = dataset_.shape();
    if (shape.size() != 2 || shape[0] != info_.n_genes || shape[1] != info_.n_cells)
      throw dataset_.error("expected " + std::to_string(info_.n_genes) + " genes x " + std::to_string(info_.n_cells) +
                               " cells, found another shape",
                           "bad_shape");
    dataset_.check_claim(1);
    info_.dtype = dataset_.type().dtype;
    info_.stored = dataset_.size();
  }
  const MatrixInfo& info() const override { return info_; }
  const Table& var() const override { return *var_; }

  void read(std::int64_t first, std::int64_t count, CellChunk& chunk) override {
    start_chunk(info_, first, count, chunk);
    for (std::int64_t cell = first; cell < first + count;) {
      throw_if_stopped();
      if (cell < band_.first_cell || cell >= band_.first_cell + band_.n_cells) load_band(cell);
      const std::int64_t last = std::min(first + count, band_.first_cell + band_.n_cells);
      append(cell - band_.first_cell, last - band_.first_cell, chunk);
      cell = last;
    }
  }

  std::int64_t chunk_cells() const override {
    const bool chunked = dataset_.chunk().size() == 2;
    const std::int64_t column = 8 * std::max<std::int64_t>(info_.n_genes, 1);
    std::int64_t cells = std::max<std::int64_t>((chunked ? kBandBytes : kPieceBandBytes) / column, 1);
    if (chunked) {
      const std::int64_t wide = dataset_.chunk()[1];
      if (wide < cells)
        cells -= cells % wide;
      else if (wide <= 4 * cells)
        cells = wide;
    }
    return std::clamp<std::int64_t>(cells, 1, std::max<std::int64_t>(info_.n_cells, 1));
  }

 private:
  // Cells begin to end of the band, to the end of the chunk.
  void append(std::int64_t begin, std::int64_t end, CellChunk& chunk) const {
    const std::int64_t from = band_.indptr[static_cast<std::size_t>(begin)];
    const std::int64_t to = band_.indptr[static_cast<std::size_t>(end)];
    const std::int64_t shift = chunk.indptr.back() - from;
    for (std::int64_t cell = begin + 1; cell <= end; ++cell)
      chunk.indptr.push_back(band_.indptr[static_cast<std::size_t>(cell)] + shift);
    chunk.genes.insert(chunk.genes.end(), band_.genes.begin() + from, band_.genes.begin() + to);
    chunk.values.insert(chunk.values.end(), band_.values.begin() + from, band_.values.begin() + to);
  }

  void load_band(std::int64_t cell) {
    const std::int64_t width = chunk_cells();
    const std::int64_t first = cell - cell % width, n_cells = std::min(width, info_.n_cells - first);
    band_.n_cells = 0;  // nothing, should the read fail
    buffer_.resize(static_cast<std::size_t>(info_.n_genes * n_cells));
    dataset_.read_window({0, info_.n_genes, first, n_cells}, buffer_);
    band_.indptr.assign(static_cast<std::size_t>(n_cells) + 1, 0);
    each_group(n_cells, [&](std::int64_t gene_row, std::int64_t begin, std::int64_t end, std::int64_t) {
      for (std::int64_t at = begin; at < end; ++at)
        band_.indptr[static_cast<std::size_t>(at) + 1] += buffer_[static_cast<std::size_t>(gene_row + at)] != 0;
    });
    for (std::size_t at = 1; at < band_.indptr.size(); ++at) band_.indptr[at] += band_.indptr[at - 1];
    band_.genes.resize(static_cast<std::size_t>(band_.indptr.back()));
    band_.values.resize(band_.genes.size());
    next_.assign(band_.indptr.begin(), band_.indptr.end() - 1);
    each_group(n_cells, [&](std::int64_t gene_row, std::int64_t begin, std::int64_t end, std::int64_t gene) {
      for (std::int64_t at = begin; at < end; ++at) {
        const double value = buffer_[static_cast<std::size_t>(gene_row + at)];
        if (value == 0) continue;
        const auto slot = static_cast<std::size_t>(next_[static_cast<std::size_t>(at)]++);
        band_.genes[slot] = static_cast<std::uint32_t>(gene);
        band_.values[slot] = value;
      }
    });
    band_.first_cell = first;
    band_.n_cells = n_cells;
  }

  // body(start of the gene's row in the buffer, first and last cell, gene) for every gene, in threads by groups of
  // cells: each group runs down the genes in order.
  template <typename Body>
  void each_group(std::int64_t n_cells, Body body) const {
    constexpr std::int64_t kGroup = 16;
    parallel_for((n_cells + kGroup - 1) / kGroup, [&](std::int64_t group, int) {
      const std::int64_t begin = group * kGroup, end = std::min(begin + kGroup, n_cells);
      for (std::int64_t gene = 0; gene < info_.n_genes; ++gene) body(gene * n_cells, begin, end, gene);
    });
  }

  MatrixInfo info_;
  std::shared_ptr<const Table> var_;
  hdf5::Dataset dataset_;
  CellChunk band_;
  std::vector<double> buffer_;
  std::vector<std::int64_t> next_;
};

}  // namespace

std::unique_ptr<CellSource> transposed_dense_source(hdf5::Dataset dataset, MatrixInfo info,
                                                    std::shared_ptr<const Table> var) {
  return std::make_unique<TransposedSource>(std::move(dataset), std::move(info), std::move(var));
}

}  // namespace scvet::io
