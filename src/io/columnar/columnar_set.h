// Columnar files that follow one another as one table: the shards of a data set.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scvet/io/columnar.h"

namespace scvet::io {

class ColumnarSet {
 public:
  // Opens each file once, and later again when it is read and too many are open. The first file's columns count;
  // DataError when a later one lacks one of them or holds another kind of values there.
  ColumnarSet(std::string path, std::vector<std::string> files);

  const std::string& path() const { return path_; }
  const std::vector<ColumnarField>& fields() const { return fields_; }  // rough_stored is -1 or of all files
  const ColumnarField* find(std::string_view name) const;
  std::size_t index_of(std::string_view name) const;  // of a field that find() finds
  std::int64_t n_rows() const { return first_rows_.back(); }
  std::int64_t bytes() const { return bytes_; }
  std::int64_t piece_rows() const { return piece_rows_; }
  const std::string& layout() const { return layout_; }
  std::size_t n_files() const { return files_.size(); }

  // As ColumnarFile's, over all files.
  void read_lists(const std::vector<std::size_t>& columns, std::int64_t first, std::int64_t count,
                  std::vector<ColumnarLists>& lists);
  // A pass over the files, so that each is opened once however many columns are read.
  std::vector<Column> read_columns(const std::vector<std::size_t>& columns);

  // "row 12", and where there are several files "row 1,012 (data-1.arrow, row 12)", rows counted from 0.
  std::string place(std::int64_t row) const;

 private:
  ColumnarFile& open(std::size_t shard);
  std::size_t shard_of(std::int64_t row) const;
  std::vector<std::size_t> columns_in(std::size_t shard, const std::vector<std::size_t>& columns);
  void add_shard(std::size_t shard);

  std::string path_, layout_;
  std::vector<std::string> files_;
  std::vector<ColumnarField> fields_;
  std::vector<std::int64_t> first_rows_{0};
  std::int64_t bytes_ = 0, piece_rows_ = 1;
  std::vector<std::unique_ptr<ColumnarFile>> open_;
  std::vector<std::size_t> used_;  // open shards, the one used last at the end
};

}  // namespace scvet::io
