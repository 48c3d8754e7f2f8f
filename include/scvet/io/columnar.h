// Columnar files (Arrow IPC streams and files, parquet) as plain values. The reader is a plugin that is loaded when
// the first such file is opened; nothing of Arrow shows here.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "scvet/data/table.h"

namespace scvet::io {

// kOther: a type that has no meaning here (structs, lists of lists, times, ...).
enum class ColumnarKind { kInteger, kReal, kBoolean, kText, kIntegerList, kRealList, kOther };

struct ColumnarField {
  std::string name;
  ColumnarKind kind = ColumnarKind::kOther;
  std::string type;                // in the file's own words: list<item: int32>
  std::string value_type;          // of numbers and lists of numbers: int32, float
  std::int64_t rough_stored = -1;  // of lists: values in all, where the file says so without being decoded
};

// Rows of a list column, end to end: row k has values [offsets[k], offsets[k + 1]). One of the two vectors is used.
struct ColumnarLists {
  std::vector<std::int64_t> offsets;
  std::vector<std::int64_t> integers;
  std::vector<double> reals;
};

// An open file. Not thread-safe. Every error is a DataError that names file, column and, where it is known, row.
class ColumnarFile {
 public:
  virtual ~ColumnarFile() = default;
  virtual const std::string& path() const = 0;
  virtual const char* layout() const = 0;  // "Arrow stream", "Arrow file", "parquet"
  virtual const std::vector<ColumnarField>& fields() const = 0;
  virtual std::int64_t n_rows() const = 0;
  // Rows of the largest piece that is read at once: a record batch, or what a row group is cut into.
  virtual std::int64_t piece_rows() const = 0;
  // Rows [first, first + count) of list columns (indices into fields), one entry of `lists` a column. Reading on from
  // where the last call ended is fast; so is any row of Arrow's own layouts. A missing list, a missing value in a list
  // and an integer above 2^63 - 1 are errors.
  virtual void read_lists(const std::vector<std::size_t>& columns, std::int64_t first, std::int64_t count,
                          std::vector<ColumnarLists>& lists) = 0;
  // A whole column of numbers, booleans or text, as a column of a table. Dictionary-encoded text becomes categorical,
  // categories in order of appearance.
  virtual Column read_column(std::size_t column) = 0;
};

// Opens by content. DataError when the file is broken or of no such layout; ResourceError, naming the file and what to
// do, when the plugin is not there.
std::unique_ptr<ColumnarFile> open_columnar(const std::string& path);

// True when the first bytes are those of an Arrow stream or file, or of parquet. Needs no plugin, never throws.
bool looks_like_arrow(const std::string& path);
bool looks_like_parquet(const std::string& path);

// Whether write_parquet can work: the plugin is there and fits this program.
bool parquet_writer_available();

// A table as parquet, names first under `table.index_name`; missing values are null. The same table gives the same
// bytes. The file appears whole or not at all.
void write_parquet(const std::string& path, const Table& table);

}  // namespace scvet::io
