#include "scvet/data/cells.h"

#include <numeric>

#include "scvet/base/error.h"
#include "scvet/data/memory_cells.h"

namespace scvet {

void start_chunk(const MatrixInfo& info, std::int64_t first, std::int64_t count, CellChunk& chunk) {
  if (first < 0 || count < 0 || first > info.n_cells || count > info.n_cells - first)
    throw InternalError("cells beyond the end of " + info.name);
  chunk.first_cell = first;
  chunk.n_cells = count;
  chunk.indptr.assign(1, 0);
  chunk.genes.clear();
  chunk.values.clear();
}

Table numbered_dimensions(std::int64_t n_dims) {
  Table var;
  for (std::int64_t dim = 0; dim < n_dims; ++dim) var.names.push_back(std::to_string(dim));
  return var;
}

std::unique_ptr<CellSource> CellFile::open_obsm(const std::string& key) {
  const Embedding embedding = read_obsm(key);
  auto cells = std::make_unique<MemoryCells>("obsm/" + key, "float32", numbered_dimensions(embedding.n_dims));
  std::vector<std::uint32_t> dims(static_cast<std::size_t>(embedding.n_dims));
  std::iota(dims.begin(), dims.end(), 0u);
  for (std::int64_t cell = 0; cell < embedding.n_cells; ++cell) {
    const float* const row = embedding.values.data() + cell * embedding.n_dims;
    cells->add(dims, std::vector<double>(row, row + embedding.n_dims));
  }
  return cells;
}

}  // namespace scvet
