#include "scvet/data/csr_matrix.h"

#include <algorithm>

namespace scvet {

CsrMatrix read_csr(CellSource& source) {
  const MatrixInfo& info = source.info();
  CsrMatrix matrix;
  matrix.n_cells = info.n_cells;
  matrix.n_genes = info.n_genes;
  matrix.indptr.reserve(static_cast<std::size_t>(info.n_cells) + 1);
  if (info.stored > 0 && info.kind != "ndarray") {
    matrix.genes.reserve(static_cast<std::size_t>(info.stored));
    matrix.values.reserve(static_cast<std::size_t>(info.stored));
  }
  CellChunk chunk;
  for (std::int64_t first = 0; first < info.n_cells; first += source.chunk_cells()) {
    source.read(first, std::min(source.chunk_cells(), info.n_cells - first), chunk);
    const std::int64_t before = matrix.indptr.back();
    for (std::int64_t cell = 0; cell < chunk.n_cells; ++cell)
      matrix.indptr.push_back(before + chunk.indptr[static_cast<std::size_t>(cell) + 1]);
    matrix.genes.insert(matrix.genes.end(), chunk.genes.begin(), chunk.genes.end());
    for (const double value : chunk.values) matrix.values.push_back(static_cast<float>(value));
  }
  return matrix;
}

CsrMatrix read_csr(CellSource& source, std::span<const std::int64_t> cells) {
  const MatrixInfo& info = source.info();
  CsrMatrix matrix;
  matrix.n_cells = std::ssize(cells);
  matrix.n_genes = info.n_genes;
  CellChunk chunk;
  for (std::size_t next = 0; next < cells.size();) {
    const std::int64_t first = cells[next], end = std::min(first + source.chunk_cells(), info.n_cells);
    source.read(first, end - first, chunk);
    for (; next < cells.size() && cells[next] < end; ++next) {
      const auto at = static_cast<std::size_t>(cells[next] - first);
      for (auto entry = static_cast<std::size_t>(chunk.indptr[at]);
           entry < static_cast<std::size_t>(chunk.indptr[at + 1]); ++entry) {
        matrix.genes.push_back(chunk.genes[entry]);
        matrix.values.push_back(static_cast<float>(chunk.values[entry]));
      }
      matrix.indptr.push_back(std::ssize(matrix.genes));
    }
  }
  return matrix;
}

CsrMatrix select_cells(CsrView matrix, std::span<const std::int64_t> cells) {
  CsrMatrix chosen;
  chosen.n_cells = static_cast<std::int64_t>(cells.size());
  chosen.n_genes = matrix.cols;
  for (const std::int64_t cell : cells) {
    const auto genes = matrix.row_columns(cell);
    const auto values = matrix.row_values(cell);
    chosen.genes.insert(chosen.genes.end(), genes.begin(), genes.end());
    chosen.values.insert(chosen.values.end(), values.begin(), values.end());
    chosen.indptr.push_back(static_cast<std::int64_t>(chosen.genes.size()));
  }
  return chosen;
}

}  // namespace scvet
