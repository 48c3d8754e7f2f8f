// Embeddings of any file kind as a stream of cells x dimensions with their cell names.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "scvet/data/cells.h"

namespace scvet::io {

struct EmbeddingInput {
  std::string where;               // "cells.h5ad: obsm/X_scgpt", for messages
  std::vector<std::string> names;  // of the cells, in the order of `values`; empty: the file names none (.npy)
  std::unique_ptr<CellSource> values;
  std::unique_ptr<CellFile> file;  // what `values` reads from, where that is a file of cells
};

// `obsm` "": the file's X (an embedding h5ad), the columns of numbers of a parquet file or text table (or a parquet
// column of lists of one length), or a .npy array. UsageError when there is no such obsm; DataError when the file is
// broken, has no matrix of numbers, or a number is missing.
EmbeddingInput open_embedding(const std::string& path, const std::string& obsm);

}  // namespace scvet::io
