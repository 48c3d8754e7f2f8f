// Cells x genes in memory, for what must see every cell more than once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scvet/base/csr_view.h"
#include "scvet/data/cells.h"

namespace scvet {

struct CsrMatrix {
  std::int64_t n_cells = 0, n_genes = 0;
  std::vector<std::int64_t> indptr = {0};
  std::vector<std::uint32_t> genes;
  std::vector<float> values;  // counts below 2^24 exactly

  CsrView view() const { return {n_cells, n_genes, indptr.data(), genes.data(), values.data()}; }
};

// The whole matrix, in one pass; 8 bytes a stored value.
CsrMatrix read_csr(CellSource& source);

// Of these cells only (ascending, each once): the others are passed over, not kept.
CsrMatrix read_csr(CellSource& source, std::span<const std::int64_t> cells);

// The cells in the order given.
CsrMatrix select_cells(CsrView matrix, std::span<const std::int64_t> cells);

}  // namespace scvet
