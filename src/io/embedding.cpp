#include "scvet/io/embedding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "scvet/base/error.h"
#include "scvet/base/text.h"
#include "scvet/io/columnar.h"
#include "scvet/io/format.h"
#include "scvet/io/npy.h"
#include "scvet/io/text_table.h"

namespace scvet::io {
namespace {

// Columns of numbers, side by side.
class ColumnsSource : public CellSource {
 public:
  ColumnsSource(std::vector<Column> columns, std::int64_t n_cells) : columns_(std::move(columns)) {
    info_ = {.name = "columns", .kind = "ndarray", .dtype = "float64"};
    info_.n_cells = n_cells;
    info_.n_genes = static_cast<std::int64_t>(columns_.size());
    info_.stored = n_cells * info_.n_genes;
    for (const Column& column : columns_) var_.names.push_back(column.name);
  }
  const MatrixInfo& info() const override { return info_; }
  const Table& var() const override { return var_; }
  std::int64_t chunk_cells() const override { return 4096; }
  void read(std::int64_t first, std::int64_t count, CellChunk& chunk) override {
    start_chunk(info_, first, count, chunk);
    for (std::int64_t cell = first; cell < first + count; ++cell) {
      for (std::size_t column = 0; column < columns_.size(); ++column) {
        const double value = number(columns_[column], cell);
        if (value == 0) continue;
        chunk.genes.push_back(static_cast<std::uint32_t>(column));
        chunk.values.push_back(value);
      }
      chunk.indptr.push_back(static_cast<std::int64_t>(chunk.genes.size()));
    }
  }

 private:
  static double number(const Column& column, std::int64_t cell) {
    if (column.is_missing(cell)) return std::nan("");
    const auto at = static_cast<std::size_t>(cell);
    return column.kind == Column::Kind::kReal ? column.reals[at] : static_cast<double>(column.integers[at]);
  }
  std::vector<Column> columns_;
  MatrixInfo info_;
  Table var_;
};

// A column of lists of one length.
class ListsSource : public CellSource {
 public:
  ListsSource(std::unique_ptr<ColumnarFile> file, std::size_t column) : file_(std::move(file)), column_(column) {
    info_ = {.name = file_->fields()[column].name, .kind = "ndarray", .dtype = file_->fields()[column].value_type};
    info_.n_cells = file_->n_rows();
    std::vector<ColumnarLists> lists(1);
    if (info_.n_cells > 0) file_->read_lists({column_}, 0, 1, lists);
    info_.n_genes = info_.n_cells > 0 ? lists[0].offsets.at(1) : 0;
    info_.stored = info_.n_cells * info_.n_genes;
    var_ = numbered_dimensions(info_.n_genes);
  }
  const MatrixInfo& info() const override { return info_; }
  const Table& var() const override { return var_; }
  std::int64_t chunk_cells() const override { return std::max<std::int64_t>(file_->piece_rows(), 1); }
  void read(std::int64_t first, std::int64_t count, CellChunk& chunk) override {
    start_chunk(info_, first, count, chunk);
    std::vector<ColumnarLists> lists(1);
    file_->read_lists({column_}, first, count, lists);
    for (std::size_t row = 0; row < static_cast<std::size_t>(count); ++row) add_row(lists[0], row, first, chunk);
  }

 private:
  void add_row(const ColumnarLists& lists, std::size_t row, std::int64_t first, CellChunk& chunk) const {
    const std::int64_t start = lists.offsets[row], size = lists.offsets[row + 1] - start;
    if (size != info_.n_genes)
      throw DataError(
          fmt::format("{}: column '{}', row {}: {} numbers where the first row has {}; an embedding has "
                      "one length for all cells",
                      file_->path(), info_.name, first + static_cast<std::int64_t>(row), size, info_.n_genes),
          {.file = file_->path(), .field = info_.name, .reason = "bad_shape"});
    for (std::int64_t dim = 0; dim < size; ++dim) {
      const auto at = static_cast<std::size_t>(start + dim);
      const double value = lists.reals.empty() ? static_cast<double>(lists.integers[at]) : lists.reals[at];
      if (value == 0) continue;
      chunk.genes.push_back(static_cast<std::uint32_t>(dim));
      chunk.values.push_back(value);
    }
    chunk.indptr.push_back(static_cast<std::int64_t>(chunk.genes.size()));
  }
  std::unique_ptr<ColumnarFile> file_;
  std::size_t column_;
  MatrixInfo info_;
  Table var_;
};

bool names_cells(const std::string& column) {
  static constexpr const char* kNames[] = {"", "index", "__index_level_0__", "cell", "cell_id", "barcode", "obs_names"};
  return std::find(std::begin(kNames), std::end(kNames), lower(column)) != std::end(kNames);
}

std::vector<std::string> texts(const Column& column) {
  std::vector<std::string> values;
  for (std::int64_t row = 0; row < column.size(); ++row) values.push_back(column.text(row));
  return values;
}

DataError no_numbers(const std::string& path) {
  return DataError(path + ": no columns of numbers, and no column of lists of numbers, to take as an embedding",
                   {.file = path, .reason = "no_matrix"});
}

// Names: a text column that is called like an index, else the first text column. Values: the columns of numbers, else
// the one column of lists.
EmbeddingInput open_table(const std::string& path) {
  EmbeddingInput input{.where = path, .names = {}, .values = {}, .file = {}};
  auto file = open_columnar(path);
  std::vector<Column> numbers;
  std::vector<std::size_t> lists;
  std::optional<std::size_t> naming;
  for (std::size_t at = 0; at < file->fields().size(); ++at) {
    const ColumnarField& field = file->fields()[at];
    if (field.kind == ColumnarKind::kText && (!naming || names_cells(field.name))) naming = at;
    if (field.kind == ColumnarKind::kRealList) lists.push_back(at);
    const bool number = field.kind == ColumnarKind::kReal || field.kind == ColumnarKind::kInteger;
    if (number && !names_cells(field.name)) numbers.push_back(file->read_column(at));
  }
  if (naming) input.names = texts(file->read_column(*naming));
  const std::int64_t n_cells = file->n_rows();
  if (!numbers.empty())
    input.values = std::make_unique<ColumnsSource>(std::move(numbers), n_cells);
  else if (lists.size() == 1)
    input.values = std::make_unique<ListsSource>(std::move(file), lists.front());
  else
    throw no_numbers(path);
  return input;
}

EmbeddingInput open_text(const std::string& path) {
  TextTable text = read_text_table(path);
  EmbeddingInput input{.where = path, .names = {}, .values = {}, .file = {}};
  // Rows that nothing names are numbered from 0.
  if (!text.table.names.empty() && text.table.names.front() != "0") input.names = text.table.names;
  std::vector<Column> numbers;
  for (Column& column : text.table.columns)
    if (column.kind == Column::Kind::kReal || column.kind == Column::Kind::kInteger)
      numbers.push_back(std::move(column));
  if (numbers.empty()) throw no_numbers(path);
  input.values = std::make_unique<ColumnsSource>(std::move(numbers), text.n_rows());
  return input;
}

EmbeddingInput open_cells_file(const std::string& path, const std::string& obsm) {
  EmbeddingInput input;
  input.file = open_cells(path);
  input.names = input.file->obs().names;
  if (!obsm.empty()) {
    input.where = path + ": obsm/" + obsm;
    input.values = input.file->open_obsm(obsm);
    return input;
  }
  input.where = path + ": X";
  input.values = input.file->open_matrix("X");
  return input;
}

}  // namespace

EmbeddingInput open_embedding(const std::string& path, const std::string& obsm) {
  if (obsm.empty()) {
    if (looks_like_npy(path)) return {.where = path, .names = {}, .values = open_npy(path), .file = {}};
    if (looks_like_parquet(path) || looks_like_arrow(path)) return open_table(path);
    if (looks_like_text_table(path)) return open_text(path);
  }
  return open_cells_file(path, obsm);
}

}  // namespace scvet::io
