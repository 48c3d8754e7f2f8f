#include "scvet/data/cells.h"

#include "scvet/base/error.h"

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

}  // namespace scvet
