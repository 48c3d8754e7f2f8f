// Stored matrices as streams of cells: sparse by cell (csr), sparse by gene (csc), dense. Every pointer, index and
// length is checked; what is broken is a DataError that names the object and the first bad row.
#pragma once

#include <memory>

#include "scvet/data/cells.h"
#include "store/store.h"

namespace scvet::io {

// `group` holds data, indices and indptr; info gives the shape that the file claims. `info.kind` chooses: csr_matrix
// (pointers over cells, indices are genes) or csc_matrix (pointers over genes, indices are cells). Pointers are read
// and checked here, indices and values when their rows are read. info.dtype and info.stored are filled in.
std::unique_ptr<CellSource> sparse_source(const store::Group& group, MatrixInfo info, std::shared_ptr<const Table> var);

// Cells in rows.
std::unique_ptr<CellSource> dense_source(const store::Group& parent, const std::string& member, MatrixInfo info,
                                         std::shared_ptr<const Table> var);

// Bytes that the cells of a csc matrix may take in memory at a time; what needs more is read in several passes.
constexpr std::int64_t kTransposeBytes = std::int64_t{1} << 30;
std::unique_ptr<CellSource> csc_source(const store::Group& group, MatrixInfo info, std::shared_ptr<const Table> var,
                                       std::int64_t transpose_bytes);

// Sorts the genes of each cell and sums repeated ones, where a cell needs it. Stable: sums run in file order. Returns -1,
// or the place of the first gene number that is not below `n_genes`; then the chunk is of no use.
std::int64_t normalise_rows(CellChunk& chunk, std::int64_t n_genes = std::int64_t{1} << 32);

}  // namespace scvet::io
