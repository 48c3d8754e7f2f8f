// Some cells of a file: what has a row a cell is cut, in the place of being copied whole.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "anndata/h5ad_writer_elements.h"
#include "scvet/data/cells.h"

namespace scvet::io {

// X and layers of `source` as CSR, obs with `columns` changed (given for all cells), and the arrays and sparse matrices of
// obsm. `root` is the open source; `rows` ascending.
void write_chosen_cells(H5adOut& out, CellFile& source, const hdf5::Group& root, const Table& obs,
                        const std::vector<std::int64_t>& rows);

}  // namespace scvet::io
