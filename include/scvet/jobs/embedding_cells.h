// An embedding file whole: its cells, their obs and their coordinates.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scvet/base/matrix_view.h"
#include "scvet/data/table.h"

namespace scvet::jobs {

struct EmbeddingCells {
  Table obs;
  std::int64_t n_dims = 0;
  std::vector<float> values;                 // cells x n_dims, as the file has them; a row may be all NaN
  std::vector<std::int64_t> embedded_cells;  // ascending: those with coordinates

  std::int64_t n_cells() const { return obs.rows(); }
  std::int64_t n_missing() const { return n_cells() - static_cast<std::int64_t>(embedded_cells.size()); }
  MatrixView<const float> view() const { return {values.data(), n_cells(), n_dims}; }
};

// The X of an embedding file. A row that is all NaN is a cell that the method could not embed. DataError where a cell's
// name stands twice, a row is NaN in part, or a value is infinite.
EmbeddingCells read_embedding_cells(const std::string& path);

// The rows in the order given.
std::vector<float> select_rows(MatrixView<const float> values, const std::vector<std::int64_t>& rows);

}  // namespace scvet::jobs
