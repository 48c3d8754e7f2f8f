// Sparse matrices: data, indices and indptr.
#include <algorithm>
#include <numeric>

#include "scvet/base/progress.h"
#include "scvet/base/text.h"
#include "store/convert.h"
#include "store/stored_matrix.h"

namespace scvet::io {
namespace {

constexpr std::int64_t kChunkBytes = 16 << 20;  // larger ones leave the processor's caches
constexpr std::int64_t kEntryBytes = 12;        // gene 4, value 8
constexpr std::int64_t kBandEntryBytes = 16;    // and the cell number while a band is made

// The three arrays, and pointers that are known to be good.
struct Arrays {
  store::DatasetPtr data, indices;
  std::vector<std::int64_t> pointers;

  std::int64_t stored() const { return pointers.back(); }
};

// Where pointers stop making sense, as a sentence; row is the line of the matrix they belong to.
[[noreturn]] void refuse_pointers(const store::Dataset& dataset, const std::string& what, std::int64_t row,
                                  const char* line) {
  throw dataset.error(what + (row >= 0 ? " at " + std::string(line) + " " + std::to_string(row) : "") +
                          "; the file is damaged, or was written with 32-bit pointers that overflowed: write it again "
                          "from its source",
                      "bad_pointers", row);
}

std::vector<std::int64_t> read_pointers(const store::Group& group, std::int64_t n_lines, std::int64_t n_indices,
                                        const char* line) {
  const store::DatasetPtr opened = group.dataset("indptr");
  const store::Dataset& dataset = *opened;
  if (dataset.shape().size() != 1 || dataset.size() != n_lines + 1)
    throw dataset.error("expected " + format_count(n_lines + 1) + " row pointers (one a " + line +
                            " and one more), found " + format_count(dataset.size()),
                        "bad_pointers");
  std::vector<std::int64_t> pointers = dataset.read_integers();
  if (pointers.front() != 0)
    refuse_pointers(dataset, "expected the first row pointer to be 0, found " + std::to_string(pointers.front()), 0,
                    line);
  for (std::int64_t row = 0; row < n_lines; ++row) {
    const auto at = static_cast<std::size_t>(row);
    if (pointers[at + 1] < 0)
      refuse_pointers(dataset, "row pointer " + std::to_string(pointers[at + 1]) + " is negative", row, line);
    if (pointers[at + 1] < pointers[at])
      refuse_pointers(
          dataset, "row pointers fall from " + std::to_string(pointers[at]) + " to " + std::to_string(pointers[at + 1]),
          row, line);
    if (pointers[at + 1] > n_indices)
      refuse_pointers(dataset,
                      "row pointer " + std::to_string(pointers[at + 1]) + " is beyond the " +
                          std::to_string(n_indices) + " stored values",
                      row, line);
  }
  if (pointers.back() != n_indices)
    refuse_pointers(dataset,
                    "row pointers end at " + std::to_string(pointers.back()) + ", but " + std::to_string(n_indices) +
                        " values are stored: the difference starts",
                    n_lines - 1, line);
  return pointers;
}

Arrays read_arrays(const store::Group& group, std::int64_t n_lines, const char* line) {
  Arrays arrays{group.streamed_dataset("data"), group.streamed_dataset("indices"), {}};
  for (const store::Dataset* dataset : {arrays.data.get(), arrays.indices.get()})
    if (dataset->shape().size() != 1 && dataset->size() != 0)
      throw dataset->error(
          "expected a list of numbers, found " + std::to_string(dataset->shape().size()) + " dimensions", "wrong_type");
  if (!arrays.data->type().is_number())
    throw arrays.data->error("expected numbers, found another type of data", "wrong_type");
  if (arrays.data->size() != arrays.indices->size())
    throw arrays.data->error("expected as many values as indices, found " + format_count(arrays.data->size()) +
                                 " values and " + format_count(arrays.indices->size()) + " indices",
                             "bad_lengths");
  arrays.data->check_claim(1);
  arrays.indices->check_claim(1);
  arrays.pointers = read_pointers(group, n_lines, arrays.indices->size(), line);
  return arrays;
}

class CsrSource : public CellSource {
 public:
  CsrSource(const store::Group& group, MatrixInfo info, std::shared_ptr<const Table> var)
      : info_(std::move(info)), var_(std::move(var)), arrays_(read_arrays(group, info_.n_cells, "cell")) {
    info_.dtype = arrays_.data->type().dtype;
    info_.stored = arrays_.stored();
    refuse_long_rows();
  }
  const MatrixInfo& info() const override { return info_; }
  const Table& var() const override { return *var_; }

  void read(std::int64_t first, std::int64_t count, CellChunk& chunk) override {
    start_chunk(info_, first, count, chunk);
    const auto pointers = arrays_.pointers.begin() + first;
    const std::int64_t begin = pointers[0], stored = pointers[count] - begin;
    chunk.indptr.assign(pointers, pointers + count + 1);
    for (std::int64_t& pointer : chunk.indptr) pointer -= begin;
    chunk.values.resize(static_cast<std::size_t>(stored));
    chunk.genes.resize(static_cast<std::size_t>(stored));
    arrays_.data->read_rows(begin, stored, chunk.values);
    arrays_.indices->read_indices(begin, stored, chunk.genes);
    // What is no index at all came as kNoIndex.
    const std::int64_t bad = normalise_rows(chunk, std::min<std::int64_t>(info_.n_genes, kNoIndex));
    if (bad >= 0) refuse_index(chunk, begin, bad);
  }

  std::int64_t chunk_cells() const override {
    const std::int64_t mean = info_.n_cells > 0 ? info_.stored / info_.n_cells + 1 : 1;
    return std::clamp<std::int64_t>(kChunkBytes / (mean * kEntryBytes), 1, std::max<std::int64_t>(info_.n_cells, 1));
  }

 private:
  // A row may repeat genes, but one that repeats each of them dozens of times is no row of a matrix.
  void refuse_long_rows() const {
    const std::int64_t most = std::max<std::int64_t>(64 * info_.n_genes, 1 << 20);
    for (std::int64_t cell = 0; cell < info_.n_cells; ++cell) {
      const auto at = static_cast<std::size_t>(cell);
      const std::int64_t length = arrays_.pointers[at + 1] - arrays_.pointers[at];
      if (length > most)
        throw arrays_.indices->error("cell " + std::to_string(cell) + " has " + format_count(length) +
                                         " stored values for " + format_count(info_.n_genes) + " genes: damaged",
                                     "bad_pointers", cell);
    }
  }

  [[noreturn]] void refuse_index(const CellChunk& chunk, std::int64_t begin, std::int64_t at) const {
    const auto row = std::upper_bound(chunk.indptr.begin(), chunk.indptr.end(), at);
    const std::int64_t cell = chunk.first_cell + (row - chunk.indptr.begin()) - 1;
    std::int64_t value = 0;  // as the file has it
    arrays_.indices->read_rows(begin + at, 1, std::span(&value, 1));
    throw arrays_.indices->error("gene number " + std::to_string(value) + " of cell " + std::to_string(cell) +
                                     " is not among the " + std::to_string(info_.n_genes) + " genes (0 to " +
                                     std::to_string(info_.n_genes - 1) + ")",
                                 "bad_index", cell);
  }

  MatrixInfo info_;
  std::shared_ptr<const Table> var_;
  Arrays arrays_;
};

// Pointers over genes: a band of cells at a time is turned around in memory, by counting.
class CscSource : public CellSource {
 public:
  CscSource(const store::Group& group, MatrixInfo info, std::shared_ptr<const Table> var, std::int64_t band_bytes)
      : info_(std::move(info)),
        var_(std::move(var)),
        arrays_(read_arrays(group, info_.n_genes, "gene")),
        band_entries_(std::max<std::int64_t>(band_bytes / kBandEntryBytes, 1)) {
    info_.dtype = arrays_.data->type().dtype;
    info_.stored = arrays_.stored();
  }
  const MatrixInfo& info() const override { return info_; }
  const Table& var() const override { return *var_; }

  void read(std::int64_t first, std::int64_t count, CellChunk& chunk) override {
    start_chunk(info_, first, count, chunk);
    if (offsets_.empty()) count_rows();
    for (std::int64_t cell = first; cell < first + count; ++cell) {
      if (cell < band_first_ || cell >= band_last_) load_band(cell);
      const std::int64_t base = offset(band_first_);
      const auto begin = offset(cell) - base, end = offset(cell + 1) - base;
      chunk.genes.insert(chunk.genes.end(), genes_.begin() + begin, genes_.begin() + end);
      chunk.values.insert(chunk.values.end(), values_.begin() + begin, values_.begin() + end);
      chunk.indptr.push_back(static_cast<std::int64_t>(chunk.genes.size()));
    }
    normalise_rows(chunk);
  }

  std::int64_t chunk_cells() const override {
    const std::int64_t mean = info_.n_cells > 0 ? info_.stored / info_.n_cells + 1 : 1;
    return std::clamp<std::int64_t>(kChunkBytes / (mean * kEntryBytes), 1, std::max<std::int64_t>(info_.n_cells, 1));
  }

 private:
  static constexpr std::int64_t kWindow = 1 << 21;  // entries read at a time

  std::int64_t offset(std::int64_t cell) const { return offsets_[static_cast<std::size_t>(cell)]; }

  // visit(position of the window, its cell numbers).
  template <typename Visit>
  void each_window(const char* label, Visit visit) {
    std::unique_ptr<ProgressScope> progress;
    if (info_.stored > 16 * kWindow) progress = std::make_unique<ProgressScope>(label, info_.stored);
    std::vector<std::int64_t> cells;
    for (std::int64_t first = 0; first < info_.stored; first += kWindow) {
      throw_if_stopped();
      cells.resize(static_cast<std::size_t>(std::min(kWindow, info_.stored - first)));
      if (kept_.empty())
        arrays_.indices->read_rows(first, static_cast<std::int64_t>(cells.size()), cells);
      else
        std::copy_n(kept_.begin() + first, cells.size(), cells.begin());
      visit(first, cells);
      if (progress) progress->advance(static_cast<std::int64_t>(cells.size()));
    }
  }

  void count_rows() {
    std::vector<std::int64_t> offsets(static_cast<std::size_t>(info_.n_cells) + 1, 0);
    // Where one band takes all, the cell numbers are kept for it, so that they are decoded once.
    const bool keep = info_.stored <= band_entries_ && info_.n_cells <= std::int64_t{UINT32_MAX};
    std::vector<std::uint32_t> kept;
    each_window("counting values of cells", [&](std::int64_t first, const std::vector<std::int64_t>& cells) {
      if (keep) kept.insert(kept.end(), cells.begin(), cells.end());
      for (std::size_t at = 0; at < cells.size(); ++at) {
        if (static_cast<std::uint64_t>(cells[at]) >= static_cast<std::uint64_t>(info_.n_cells))
          refuse_index(first + static_cast<std::int64_t>(at), cells[at]);
        ++offsets[static_cast<std::size_t>(cells[at]) + 1];
      }
    });
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    offsets_ = std::move(offsets);
    kept_ = std::move(kept);
  }

  [[noreturn]] void refuse_index(std::int64_t position, std::int64_t cell) const {
    const auto next = std::upper_bound(arrays_.pointers.begin(), arrays_.pointers.end(), position);
    const std::int64_t gene = next - arrays_.pointers.begin() - 1;
    throw arrays_.indices->error("cell number " + std::to_string(cell) + " of gene " + std::to_string(gene) +
                                     " is not among the " + std::to_string(info_.n_cells) + " cells (0 to " +
                                     std::to_string(info_.n_cells - 1) + ")",
                                 "bad_index", cell);
  }

  void load_band(std::int64_t first) {
    std::int64_t last = first + 1;
    while (last < info_.n_cells && offset(last + 1) - offset(first) <= band_entries_) ++last;
    const std::int64_t base = offset(first);
    band_first_ = band_last_ = 0;
    genes_.resize(static_cast<std::size_t>(offset(last) - base));
    values_.resize(genes_.size());
    std::vector<std::int64_t> next(offsets_.begin() + first, offsets_.begin() + last);
    std::vector<double> window;
    std::int64_t gene = 0;
    each_window("turning genes into cells", [&](std::int64_t start, const std::vector<std::int64_t>& cells) {
      window.resize(cells.size());
      arrays_.data->read_rows(start, static_cast<std::int64_t>(window.size()), window);
      for (std::size_t at = 0; at < cells.size(); ++at) {
        while (start + static_cast<std::int64_t>(at) >= arrays_.pointers[static_cast<std::size_t>(gene) + 1]) ++gene;
        if (cells[at] < first || cells[at] >= last) continue;
        const std::int64_t slot = next[static_cast<std::size_t>(cells[at] - first)]++ - base;
        // The file may have changed since it was counted.
        if (slot >= static_cast<std::int64_t>(genes_.size())) throw changed();
        genes_[static_cast<std::size_t>(slot)] = static_cast<std::uint32_t>(gene);
        values_[static_cast<std::size_t>(slot)] = window[at];
      }
    });
    for (std::int64_t cell = first; cell < last; ++cell)
      if (next[static_cast<std::size_t>(cell - first)] != offset(cell + 1)) throw changed();
    band_first_ = first;
    band_last_ = last;
    std::vector<std::uint32_t>().swap(kept_);
  }
  DataError changed() const {
    return arrays_.indices->error("two readings differ: the file is being written, or the storage is failing",
                                  "storage");
  }

  MatrixInfo info_;
  std::shared_ptr<const Table> var_;
  Arrays arrays_;
  std::int64_t band_entries_;
  std::vector<std::int64_t> offsets_;  // of cells, once counted
  std::int64_t band_first_ = 0, band_last_ = 0;
  std::vector<std::uint32_t> kept_;   // cell numbers in the file's order, until the one band is made
  std::vector<std::uint32_t> genes_;  // of the band
  std::vector<double> values_;
};

}  // namespace

std::unique_ptr<CellSource> csc_source(const store::Group& group, MatrixInfo info, std::shared_ptr<const Table> var,
                                       std::int64_t transpose_bytes) {
  return std::make_unique<CscSource>(group, std::move(info), std::move(var), transpose_bytes);
}

std::unique_ptr<CellSource> sparse_source(const store::Group& group, MatrixInfo info,
                                          std::shared_ptr<const Table> var) {
  if (info.kind == "csc_matrix") return csc_source(group, std::move(info), std::move(var), kTransposeBytes);
  return std::make_unique<CsrSource>(group, std::move(info), std::move(var));
}

}  // namespace scvet::io
