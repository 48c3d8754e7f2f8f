// What the readers of the plugin share: errors in our words, a memory limit, Arrow's arrays as plain values.
#pragma once

#include <arrow/api.h>

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "scvet/io/columnar.h"

namespace scvet::io {

// What a message about a column names.
struct ColumnPlace {
  const std::string* file;
  const std::string* column;
  std::int64_t first_row = 0;  // of the array at hand
};

// DataError with Arrow's reason; `doing` completes "cannot ...".
[[noreturn]] void refuse(const std::string& file, const std::string& doing, const arrow::Status& status);
[[noreturn]] void refuse(const ColumnPlace& place, std::int64_t row, const std::string& what, const char* reason);
void require(const arrow::Status& status, const std::string& file, const std::string& doing);
template <typename Value>
Value require(arrow::Result<Value>&& result, const std::string& file, const std::string& doing) {
  if (!result.ok()) refuse(file, doing, result.status());
  return std::move(result).ValueUnsafe();
}

// Memory that Arrow may take for one file: what a file claims is not believed beyond 64 MB and 256 times its size, the
// most that honest compression gives.
class FileMemory {
 public:
  explicit FileMemory(std::int64_t file_bytes);
  arrow::MemoryPool* pool() { return &capped_; }

 private:
  arrow::ProxyMemoryPool own_;
  arrow::CappedMemoryPool capped_;
};

ColumnarField describe_field(const arrow::Field& field);

// `n` empty lists that keep the memory they have: tens of megabytes a call.
void clear_lists(std::vector<ColumnarLists>& lists, std::size_t n);

// The array of a list column is validated and its rows are appended.
void append_lists(const arrow::Array& array, const ColumnPlace& place, ColumnarLists& lists);

// Stored values of a list column's array, judged by its offsets alone; checks that the array can hold its rows.
std::int64_t count_stored(const arrow::Array& array, const ColumnPlace& place);

// Gathers the arrays of a scalar column.
class ColumnGatherer {
 public:
  // `text_limit`: bytes of text that the whole column may unfold to.
  ColumnGatherer(const arrow::Field& field, std::int64_t text_limit);
  void add(const arrow::Array& array, const ColumnPlace& place);
  Column finish();

 private:
  void add_text(std::string_view text, const ColumnPlace& place);
  void add_categories(const arrow::Array& array, const ColumnPlace& place);
  Column column_;
  std::int64_t text_left_;
  bool any_missing_ = false;
  std::unordered_map<std::string, std::int32_t> code_of_;
};
// 64 MB and 64 times the file's size: text repeats itself.
std::int64_t text_limit(std::int64_t file_bytes);
// DataError when a file claims more rows than anything worth reading needs: a cell's list takes a byte at the very
// least. Tables are sized by the number of rows.
void require_plausible(std::int64_t n_rows, std::int64_t file_bytes, const std::string& file);

}  // namespace scvet::io
