// Where the matrices and arrays of an AnnData file lie, and how they are stored.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "anndata/anndata_table.h"
#include "store/stored_matrix.h"

namespace scvet::io::anndata {

// Kind, type and size of the matrix `member` of `parent`, called `name`. Nothing when it is absent, of kind null, or
// empty. DataError when its encoding is unknown, its shape is not n_cells x n_genes, or it is no matrix.
std::optional<MatrixInfo> describe_matrix(const store::Group& parent, const std::string& member,
                                          const std::string& name, std::int64_t n_cells, std::int64_t n_genes,
                                          Notes& notes);

std::unique_ptr<CellSource> open_matrix(const store::Group& parent, const std::string& member, const MatrixInfo& info,
                                        std::shared_ptr<const Table> var);

// Shapes of the members of obsm, varm (a group of arrays, sparse matrices and data frames; before 0.7 one compound
// data set). What has no shape is left out with a note.
std::vector<NamedShape> array_shapes(const store::Group& root, const std::string& member, Notes& notes);

// obsm[key] as numbers. A data frame gives its columns, which must all be numbers.
Embedding read_array(const store::Group& root, const std::string& member, const std::string& key, std::int64_t n_cells);

// The same as a stream of cells, where it is a matrix of its own (dense or sparse); null for data frames and fields of
// compound tables.
std::unique_ptr<CellSource> open_array(const store::Group& root, const std::string& member, const std::string& key,
                                       std::int64_t n_cells);

}  // namespace scvet::io::anndata
