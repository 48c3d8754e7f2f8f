#include "scvet/jobs/embedding_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scvet/base/error.h"
#include "scvet/io/format.h"

namespace scvet::jobs {
namespace {

void read_values(CellSource& source, EmbeddingCells& cells) {
  cells.values.assign(static_cast<std::size_t>(cells.n_cells() * cells.n_dims), 0.0F);
  CellChunk chunk;
  for (std::int64_t first = 0; first < cells.n_cells(); first += source.chunk_cells()) {
    source.read(first, std::min(source.chunk_cells(), cells.n_cells() - first), chunk);
    for (std::int64_t cell = 0; cell < chunk.n_cells; ++cell) {
      float* const row = cells.values.data() + (first + cell) * cells.n_dims;
      const auto end = static_cast<std::size_t>(chunk.indptr[static_cast<std::size_t>(cell) + 1]);
      for (auto at = static_cast<std::size_t>(chunk.indptr[static_cast<std::size_t>(cell)]); at < end; ++at)
        row[chunk.genes[at]] = static_cast<float>(chunk.values[at]);
    }
  }
}

void find_embedded(const std::string& path, EmbeddingCells& cells) {
  const MatrixView<const float> values = cells.view();
  for (std::int64_t cell = 0; cell < values.rows; ++cell) {
    const auto row = values.row_span(cell);
    const auto n_nan = std::count_if(row.begin(), row.end(), [](float value) { return std::isnan(value); });
    if (n_nan == values.cols) continue;
    const bool infinite = std::any_of(row.begin(), row.end(), [](float value) { return std::isinf(value); });
    if (n_nan > 0 || infinite) {
      const std::string& name = cells.obs.names[static_cast<std::size_t>(cell)];
      throw DataError(fmt::format("{}: cell '{}' (row {}) has {}; a cell that could not be embedded is NaN in every "
                                  "dimension, any other is finite",
                                  path, name, cell,
                                  infinite ? std::string("an infinite coordinate")
                                           : fmt::format("{} of {} coordinates NaN", n_nan, values.cols)),
                      {.file = path, .field = "X", .row = cell, .reason = "not_finite"});
    }
    cells.embedded_cells.push_back(cell);
  }
}

}  // namespace

EmbeddingCells read_embedding_cells(const std::string& path) {
  const std::unique_ptr<CellFile> file = io::open_cells(path);
  const std::vector<MatrixInfo> matrices = file->matrices();
  if (matrices.empty() || matrices.front().name != "X")
    throw DataError(path + ": no X; an embedding file has the embedding there, cells x dimensions",
                    {.file = path, .field = "X", .reason = "no_matrix"});
  EmbeddingCells cells;
  cells.obs = file->obs();
  cells.n_dims = matrices.front().n_genes;
  if (const Duplicate twice = find_duplicate(cells.obs.names); twice.row_a >= 0)
    throw DataError(fmt::format("{}: obs: cell name '{}' stands in rows {} and {}; names must be unique", path,
                                twice.name, twice.row_a, twice.row_b),
                    {.file = path, .field = "obs", .row = twice.row_b, .reason = "duplicate_name"});
  const std::unique_ptr<CellSource> source = file->open_matrix("X");
  read_values(*source, cells);
  find_embedded(path, cells);
  return cells;
}

std::vector<float> select_rows(MatrixView<const float> values, const std::vector<std::int64_t>& rows) {
  std::vector<float> chosen;
  chosen.reserve(rows.size() * static_cast<std::size_t>(values.cols));
  for (const std::int64_t row : rows) chosen.insert(chosen.end(), values.row(row), values.row(row) + values.cols);
  return chosen;
}

}  // namespace scvet::jobs
