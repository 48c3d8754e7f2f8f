// Matrices of an h5ad file that is being written.
#pragma once

#include <string>

#include "anndata/h5ad_writer_elements.h"
#include "scvet/data/cells.h"

namespace scvet::io {

// A CSR group `name` of `parent`, streamed in the source's chunks, with the value type that the source states.
void write_csr(const H5adOut& out, hid_t parent, const std::string& name, CellSource& source);

}  // namespace scvet::io
