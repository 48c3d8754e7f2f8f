// Writing h5ad in the encodings that anndata 0.8 and every later version read, and copies of a file with more columns.
// Files appear whole or not at all; the same content gives the same bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scvet/base/matrix_view.h"
#include "scvet/data/cells.h"
#include "scvet/data/table.h"

namespace scvet::io {

enum class Compression { kNone, kGzip, kZstd };

struct WriteOptions {
  // gzip is read everywhere; zstd is smaller and faster, and needs the reader to have HDF5's zstd filter (hdf5plugin).
  Compression compression = Compression::kGzip;
  int level = 4;  // larger: smaller and slower
};

// An entry of uns that is one text.
struct UnsText {
  std::string key, text;
};

// What a new file is made of. Pointers are borrowed; a null matrix or table stands for none.
struct H5adContent {
  const Table* obs = nullptr;  // required
  const Table* var = nullptr;  // required
  CellSource* x = nullptr;
  std::vector<std::pair<std::string, CellSource*>> layers;  // n_obs x n_var each
  CellSource* raw = nullptr;                                // with its own var
  std::vector<Embedding> obsm;
  std::vector<UnsText> uns;
};

// Writes `content` to `path`. Matrices become CSR, streamed in row chunks, with the value type that the source states,
// int32 genes, and int64 row pointers when there are 2^31 stored values or more. Columns:
//   categorical  smallest signed codes; texts with missing values are stored so too, as no older reader has another way
//   integers and booleans with missing values: nullable-integer, nullable-boolean
//   a column named _index, or with '/' in its name, is renamed.
// Returns notes for people about what was renamed or re-encoded.
std::vector<std::string> write_h5ad(const std::string& path, const H5adContent& content,
                                    const WriteOptions& options = {});

// Copies `source` to `target` with `columns` added to obs (as many rows as obs, in its order) and `uns` to uns.
// Of an h5ad every object is copied as it is, the matrices byte for byte. Layouts before anndata 0.8 become typed
// groups; what no version reads (broken entries of uns, unknown objects at the root) is left out and noted. Any other
// format is written anew. A column that exists is replaced when its name begins with "scvet_", else a DataError.
// Returns the notes.
std::vector<std::string> annotate_copy(CellFile& source, const std::string& target, const std::vector<Column>& columns,
                                       const std::vector<UnsText>& uns = {}, const WriteOptions& options = {});
std::vector<std::string> annotate_copy(const std::string& source, const std::string& target,
                                       const std::vector<Column>& columns, const std::vector<UnsText>& uns = {},
                                       const WriteOptions& options = {});

// An embedding of the cells of a file.
struct EmbeddingContent {
  MatrixView<const float> values;  // cells x dimensions; contiguous rows
  std::vector<std::string> genes;  // of each dimension where dimensions are genes: column "gene" of var; else empty
  std::vector<Column> columns;     // added to obs, as of annotate_copy
  std::vector<UnsText> uns;
};

// Writes an h5ad whose X is the embedding, dense float32, with var names V1, V2, ...; obs as `source` has it (copied as
// it is from an h5ad, in the same order), obsm/spatial where there is one, nothing else of the source. Not compressed:
// such values hardly shrink. Returns the notes.
std::vector<std::string> write_embedding(CellFile& source, const std::string& target, const EmbeddingContent& content);

// What a copy changes; what is not named here stays as it is.
struct CopyChanges {
  std::vector<Column> obs = {}, var = {};    // added, or put in the place of the column of that name
  bool replace_columns = false;              // false: as annotate_copy, only columns of our own are replaced
  std::vector<std::string> gene_names = {};  // the index of var; empty: stays
  bool drop_raw = false;
  std::vector<UnsText> uns = {};  // entries whose keys begin with "scvet_" replace their like
  // Rows to keep, ascending. X and layers then become CSR with the values and the type that they have; pairwise
  // matrices and data frames in obsm, which this does not cut, are left out and noted, and so is raw.
  std::optional<std::vector<std::int64_t>> cells = {};
};

// As annotate_copy. An index that bears the name of a column to be written is called _index in the copy.
std::vector<std::string> changed_copy(CellFile& source, const std::string& target, const CopyChanges& changes,
                                      const WriteOptions& options = {});

// SHA-256 of a data set, or of a group's data sets, of an HDF5 file as stored: type, shape, chunk shape, filters, and
// the bytes of every chunk before they are decoded. Equal digests: copied byte for byte. DataError when there is no such
// object or it cannot be read.
std::string stored_digest(const std::string& path, const std::string& object);

}  // namespace scvet::io
