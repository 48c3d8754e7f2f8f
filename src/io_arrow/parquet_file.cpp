// Parquet through Arrow's reader: one streaming cursor over list columns, whole scalar columns.
#include <arrow/io/file.h>
#include <fmt/format.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>
#include <parquet/exception.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "arrow_support.h"
#include "readers.h"
#include "scvet/base/error.h"
#include "scvet/base/text.h"

namespace scvet::io {
namespace {

constexpr std::int64_t kPieceRows = 1000;
constexpr std::int64_t kBufferBytes = std::int64_t{1} << 20;

// Parquet's own errors are exceptions.
template <typename Body>
auto guarded(const std::string& path, const std::string& doing, const Body& body) {
  try {
    return body();
  } catch (const parquet::ParquetException& error) {
    throw DataError(fmt::format("{}: cannot {}: {}", path, doing, error.what()),
                    {.file = path, .reason = "broken_parquet"});
  }
}

void leaves_of(const parquet::arrow::SchemaField& field, std::vector<int>& leaves) {
  if (field.is_leaf()) leaves.push_back(field.column_index);
  for (const auto& child : field.children) leaves_of(child, leaves);
}

class ParquetFile : public ColumnarFile {
 public:
  explicit ParquetFile(const std::string& path);
  const std::string& path() const override { return path_; }
  const char* layout() const override { return "parquet"; }
  const std::vector<ColumnarField>& fields() const override { return fields_; }
  std::int64_t n_rows() const override { return first_rows_.back(); }
  std::int64_t piece_rows() const override { return kPieceRows; }
  void read_lists(const std::vector<std::size_t>& columns, std::int64_t first, std::int64_t count,
                  std::vector<ColumnarLists>& lists) override;
  Column read_column(std::size_t column) override;

 private:
  void read_groups();
  std::vector<int> leaves(std::vector<std::size_t> columns) const;
  std::unique_ptr<arrow::RecordBatchReader> reader_from(std::size_t group, const std::vector<std::size_t>& columns);
  void seek(const std::vector<std::size_t>& columns, std::int64_t row);
  bool next_piece();

  std::string path_;
  std::int64_t bytes_;
  FileMemory memory_;
  std::unique_ptr<parquet::arrow::FileReader> file_;
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<ColumnarField> fields_;
  std::vector<std::int64_t> first_rows_;  // of each row group, then the number of rows
  // The cursor: pieces of `columns_` one after another; piece_ starts at row piece_first_.
  std::vector<std::size_t> columns_;  // ascending
  std::unique_ptr<arrow::RecordBatchReader> cursor_;
  std::shared_ptr<arrow::RecordBatch> piece_;
  std::int64_t piece_first_ = 0;
};

ParquetFile::ParquetFile(const std::string& path)
    : path_(path), bytes_(static_cast<std::int64_t>(std::filesystem::file_size(path))), memory_(bytes_) {
  guarded(path_, "open it", [&] {
    const auto input = require(arrow::io::ReadableFile::Open(path_, memory_.pool()), path_, "open it");
    parquet::ReaderProperties properties(memory_.pool());
    properties.enable_buffered_stream();  // a column of a row group may be large
    properties.set_buffer_size(kBufferBytes);
    parquet::ArrowReaderProperties arrow_properties(false);
    arrow_properties.set_pre_buffer(false);
    arrow_properties.set_batch_size(kPieceRows);
    parquet::arrow::FileReaderBuilder builder;
    require(builder.Open(input, properties), path_, "open it");
    require(builder.memory_pool(memory_.pool())->properties(arrow_properties)->Build(&file_), path_, "open it");
    require(file_->GetSchema(&schema_), path_, "read the schema");
    for (const auto& field : schema_->fields()) fields_.push_back(describe_field(*field));
    if (file_->manifest().schema_fields.size() != fields_.size())
      throw DataError(path_ + ": its schema names other columns than its metadata",
                      {.file = path_, .reason = "broken_parquet"});
    read_groups();
  });
}

void ParquetFile::read_groups() {
  const auto metadata = file_->parquet_reader()->metadata();
  first_rows_.push_back(0);
  for (int group = 0; group < metadata->num_row_groups(); ++group) {
    const std::int64_t rows = metadata->RowGroup(group)->num_rows();
    require_plausible(rows, bytes_, path_);
    require_plausible(first_rows_.back() + rows, bytes_, path_);
    first_rows_.push_back(first_rows_.back() + rows);
  }
}

std::vector<int> ParquetFile::leaves(std::vector<std::size_t> columns) const {
  std::vector<int> result;
  for (const std::size_t column : columns) leaves_of(file_->manifest().schema_fields[column], result);
  return result;
}

std::unique_ptr<arrow::RecordBatchReader> ParquetFile::reader_from(std::size_t group,
                                                                   const std::vector<std::size_t>& columns) {
  std::vector<int> groups;
  for (std::size_t at = group; at + 1 < first_rows_.size(); ++at) groups.push_back(static_cast<int>(at));
  return require(file_->GetRecordBatchReader(groups, leaves(columns)), path_, "read it");
}

bool ParquetFile::next_piece() {
  const std::int64_t next_first = piece_first_ + (piece_ ? piece_->num_rows() : 0);
  piece_.reset();
  require(cursor_->ReadNext(&piece_), path_, fmt::format("read on at row {}", next_first));
  piece_first_ = next_first;
  return piece_ != nullptr;
}

// The cursor on the piece that holds `row`.
void ParquetFile::seek(const std::vector<std::size_t>& columns, std::int64_t row) {
  const auto group = static_cast<std::size_t>(std::upper_bound(first_rows_.begin(), first_rows_.end() - 1, row) -
                                              first_rows_.begin() - 1);
  const bool usable = cursor_ && columns_ == columns && piece_ && row >= piece_first_;
  // Reading on is cheaper than opening anew, unless row groups lie between.
  if (!usable || first_rows_[group] > piece_first_ + piece_->num_rows()) {
    columns_ = columns;
    piece_.reset();
    cursor_ = reader_from(group, columns);
    piece_first_ = first_rows_[group];
    if (!next_piece()) return;
  }
  while (piece_ && row >= piece_first_ + piece_->num_rows())
    if (!next_piece()) return;
}

void ParquetFile::read_lists(const std::vector<std::size_t>& columns, std::int64_t first, std::int64_t count,
                             std::vector<ColumnarLists>& lists) {
  clear_lists(lists, columns.size());
  std::vector<std::size_t> sorted = columns;
  std::sort(sorted.begin(), sorted.end());
  guarded(path_, fmt::format("read rows {} to {}", first, first + count - 1), [&] {
    std::int64_t row = first;
    const std::int64_t end = first + count;
    while (row < end) {
      seek(sorted, row);
      if (!piece_)
        throw DataError(fmt::format("{}: its rows end at {}, its metadata says {}", path_, format_count(piece_first_),
                                    format_count(n_rows())),
                        {.file = path_, .row = row, .reason = "bad_size"});
      const std::int64_t to = std::min(end, piece_first_ + piece_->num_rows());
      for (std::size_t at = 0; at < columns.size(); ++at) {
        const auto place = std::lower_bound(sorted.begin(), sorted.end(), columns[at]) - sorted.begin();
        append_lists(*piece_->column(static_cast<int>(place))->Slice(row - piece_first_, to - row),
                     {&path_, &fields_[columns[at]].name, row}, lists[at]);
      }
      row = to;
    }
  });
}

Column ParquetFile::read_column(std::size_t column) {
  const ColumnarField& field = fields_[column];
  const std::string doing = fmt::format("read column '{}'", field.name);
  ColumnGatherer gatherer(*schema_->field(static_cast<int>(column)), text_limit(bytes_));
  ColumnPlace place{&path_, &field.name, 0};
  guarded(path_, doing, [&] {
    const auto reader = reader_from(0, {column});
    while (true) {
      std::shared_ptr<arrow::RecordBatch> next;
      require(reader->ReadNext(&next), path_, doing);
      if (!next) break;
      gatherer.add(*next->column(0), place);
      place.first_row += next->num_rows();
      if (place.first_row > n_rows()) break;
    }
  });
  if (place.first_row != n_rows())
    throw DataError(
        fmt::format("{}: column '{}' has {} rows, expected {}", path_, field.name, place.first_row, n_rows()),
        {.file = path_, .field = field.name, .reason = "bad_size"});
  return gatherer.finish();
}

}  // namespace

std::unique_ptr<ColumnarFile> open_parquet(const std::string& path) { return std::make_unique<ParquetFile>(path); }

}  // namespace scvet::io
