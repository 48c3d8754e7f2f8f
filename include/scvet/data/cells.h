// Cells as a stream of sparse rows: what every job reads, whatever the file's format.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "scvet/data/table.h"

namespace scvet {

// One matrix of a file, cells x genes.
struct MatrixInfo {
  std::string name = {};  // "X", "raw/X", "layers/counts", "matrix" (10x)
  std::string kind;       // csr_matrix, csc_matrix, ndarray
  std::string dtype;      // float32, int32, bool, ...
  std::int64_t n_cells = 0, n_genes = 0;
  std::int64_t stored = 0;        // stored values: all of them when dense; -1 where only reading tells
  std::string indptr_dtype = {};  // of compressed kinds, where the file has row pointers
  // Lists of tokens in rank order (kind token_list): a cell's values are then n - position, so that larger is earlier,
  // and say nothing of counts.
  bool ranked = false;
};

// Rows [first_cell, first_cell + n_cells). Explicit zeros are kept for sparse kinds; for dense kinds zeros are left
// out and NaN kept. Genes ascending within a cell, no repeats (a file's unsorted or repeated indices are sorted and
// summed). indptr has n_cells + 1 entries starting at 0.
struct CellChunk {
  std::int64_t first_cell = 0, n_cells = 0;
  std::vector<std::int64_t> indptr;
  std::vector<std::uint32_t> genes;
  std::vector<double> values;
};

// Dimensions of an embedding, named by their numbers.
Table numbered_dimensions(std::int64_t n_dims);

// For CellSource::read: `chunk` of cells [first, first + count) without an entry yet, indptr {0}. InternalError where the
// matrix has no such cells.
void start_chunk(const MatrixInfo& info, std::int64_t first, std::int64_t count, CellChunk& chunk);

// A readable matrix with its gene names. Not thread-safe; reading chunks in ascending order is fast.
class CellSource {
 public:
  virtual ~CellSource() = default;
  virtual const MatrixInfo& info() const = 0;
  virtual const Table& var() const = 0;  // of this matrix: raw has its own
  // Fills `chunk` with cells [first, first + count). Throws DataError on broken content, naming file, object and row.
  virtual void read(std::int64_t first, std::int64_t count, CellChunk& chunk) = 0;
  // A chunk size that suits the file's own layout and keeps a chunk at 64 MB or less.
  virtual std::int64_t chunk_cells() const = 0;
};

// A dense cells x dimensions array such as obsm["X_pca"], row-major.
struct Embedding {
  std::string name;
  std::int64_t n_cells = 0, n_dims = 0;
  std::vector<float> values;
};

struct NamedShape {
  std::string name;
  std::vector<std::int64_t> shape;
};

// An open file of cells of any format. `obs`, `var` and the lists are read on opening; matrices on demand.
class CellFile {
 public:
  virtual ~CellFile() = default;
  virtual const std::string& path() const = 0;
  virtual const char* format() const = 0;  // name of the format record: h5ad, tenx_h5, ...
  virtual const Table& obs() const = 0;
  virtual const Table& var() const = 0;
  virtual std::vector<MatrixInfo> matrices() const = 0;  // X first where present
  virtual std::unique_ptr<CellSource> open_matrix(const std::string& name) = 0;
  // Empty for formats that have none.
  virtual std::vector<NamedShape> obsm() const { return {}; }
  virtual std::vector<NamedShape> varm() const { return {}; }
  virtual std::vector<std::string> obsp() const { return {}; }
  virtual std::vector<std::string> uns_keys() const { return {}; }
  virtual Embedding read_obsm(const std::string& key) = 0;
  // The same as a stream of cells, dimensions in the place of genes, every value as the file has it. Default: what
  // read_obsm gives.
  virtual std::unique_ptr<CellSource> open_obsm(const std::string& key);
  // Things worth telling a person: encoding versions, skipped objects, renamed columns.
  virtual std::vector<std::string> notes() const = 0;
  // Fields of a feature table under the file's own names, sorted (10x); empty for formats that have none.
  virtual std::vector<std::string> feature_fields() const { return {}; }
};

}  // namespace scvet
