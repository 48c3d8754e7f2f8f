#include "scvet/data/memory_cells.h"

#include <algorithm>

#include "scvet/base/error.h"

namespace scvet {

MemoryCells::MemoryCells(std::string name, std::string dtype, Table var, bool ranked) : var_(std::move(var)) {
  info_.name = std::move(name);
  info_.kind = ranked ? "token_list" : "csr_matrix";
  info_.ranked = ranked;
  info_.dtype = std::move(dtype);
  info_.n_genes = var_.rows();
}

void MemoryCells::add(const std::vector<std::uint32_t>& genes, const std::vector<double>& values) {
  if (genes.size() != values.size()) throw InternalError("a cell with a value for some of its genes only");
  genes_.insert(genes_.end(), genes.begin(), genes.end());
  values_.insert(values_.end(), values.begin(), values.end());
  indptr_.push_back(static_cast<std::int64_t>(genes_.size()));
  ++info_.n_cells;
  info_.stored = indptr_.back();
}

void MemoryCells::read(std::int64_t first, std::int64_t count, CellChunk& chunk) {
  start_chunk(info_, first, count, chunk);
  const std::int64_t start = indptr_[static_cast<std::size_t>(first)];
  const std::int64_t end = indptr_[static_cast<std::size_t>(first + count)];
  chunk.indptr.resize(static_cast<std::size_t>(count) + 1);
  for (std::int64_t cell = 0; cell <= count; ++cell)
    chunk.indptr[static_cast<std::size_t>(cell)] = indptr_[static_cast<std::size_t>(first + cell)] - start;
  chunk.genes.assign(genes_.begin() + start, genes_.begin() + end);
  chunk.values.assign(values_.begin() + start, values_.begin() + end);
}

}  // namespace scvet
