#include "columnar/columnar_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "scvet/base/error.h"
#include "scvet/base/parallel.h"
#include "scvet/base/text.h"

namespace scvet::io {
namespace {

// Columns that name cells, in order of preference; case is ignored.
constexpr const char* kNaming[] = {
    "cell_id",           "cell_name", "cell_barcode", "barcode", "barcodes", "obs_names",          "cellname",
    "__index_level_0__", "_index",    "index",        "cell",    "cells",    "barcode_sub_lib_id", "observation_joinid",
    "soma_joinid"};

bool is_scalar(ColumnarKind kind) {
  return kind != ColumnarKind::kOther && kind != ColumnarKind::kIntegerList && kind != ColumnarKind::kRealList;
}

bool is_list(ColumnarKind kind) { return kind == ColumnarKind::kIntegerList || kind == ColumnarKind::kRealList; }

std::string columns_text(const ColumnarSet& set) {
  std::vector<std::string> parts;
  for (const ColumnarField& field : set.fields()) parts.push_back(fmt::format("{} ({})", field.name, field.type));
  return parts.empty() ? "no columns" : join_some(parts, 12);
}

// Numbers only: columns of reals, or one list of one length.
std::string embedding_text(const ColumnarSet& set) {
  std::int64_t reals = 0;
  for (const ColumnarField& field : set.fields()) {
    if (field.kind == ColumnarKind::kRealList)
      return fmt::format("; column '{}' may be an embedding: write it as a table (tsv) or into obsm of an h5ad",
                         field.name);
    reals += field.kind == ColumnarKind::kReal;
  }
  return reals < 2 ? ""
                   : fmt::format(
                         "; its {} columns of reals may be an embedding: write it as a table (tsv) or into obsm "
                         "of an h5ad",
                         reals);
}

}  // namespace

std::unique_ptr<CellFile> open_columnar_cells(const char* format, const std::string& path,
                                              std::vector<std::string> files, const OpenOptions& options,
                                              std::vector<std::string> notes) {
  auto set = std::make_shared<ColumnarSet>(path, std::move(files));
  const ColumnarField* tokens = set->find("input_ids");
  if (tokens && tokens->kind == ColumnarKind::kIntegerList)
    return open_token_cells(format, std::move(set), options, std::move(notes));
  const ColumnarField *genes = set->find("genes"), *values = set->find("expressions");
  if (genes && values && genes->kind == ColumnarKind::kIntegerList && is_list(values->kind))
    return open_count_cells(format, std::move(set), options, std::move(notes));
  throw DataError(
      fmt::format(
          "{} holds no cells that scvet can read: expected column 'input_ids' (lists of integers: tokens in rank "
          "order) or columns 'genes' and 'expressions' (lists of tokens and of counts), found {}{}",
          path, columns_text(*set), embedding_text(*set)),
      {.file = path, .field = "input_ids", .reason = "missing_column"});
}

ColumnarCells::ColumnarCells(const char* format, std::shared_ptr<ColumnarSet> set, std::vector<std::string> notes)
    : format_(format), set_(std::move(set)), notes_(std::move(notes)) {
  info_.n_cells = set_->n_rows();
  notes_.push_back(set_->layout() + (set_->n_files() > 1 ? fmt::format("s: {} in order", set_->n_files()) : ""));
  read_obs();
}

// True when the column can name the cells, which it then does.
bool ColumnarCells::name_cells(const Column& column) {
  std::vector<std::string> names;
  for (std::int64_t row = 0; row < column.size(); ++row) {
    if (column.is_missing(row)) {
      notes_.push_back(fmt::format("column '{}' does not name the cells: it is empty in row {}", column.name, row));
      return false;
    }
    names.push_back(column.text(row));
  }
  const Duplicate duplicate = find_duplicate(names);
  if (duplicate.row_a >= 0) {
    notes_.push_back(fmt::format("column '{}' does not name the cells: '{}' stands in rows {} and {}", column.name,
                                 duplicate.name, duplicate.row_a, duplicate.row_b));
    return false;
  }
  obs_->index_name = column.name;
  obs_->names = std::move(names);
  return true;
}

// Columns that repeat or share their bytes in the file would unfold to any size.
void ColumnarCells::require_room() const {
  std::int64_t n_columns = 1;
  for (const ColumnarField& field : set_->fields()) n_columns += is_scalar(field.kind);
  constexpr std::int64_t kBytesAnEntry = 32, kMost = std::int64_t{1} << 50;
  const std::int64_t limit = (std::int64_t{128} << 20) + 256 * std::min(set_->bytes(), kMost / 256);
  if (info_.n_cells <= limit / kBytesAnEntry / n_columns) return;
  throw DataError(fmt::format("{} claims {} rows of {} columns, more than {} bytes can hold", path(),
                              format_count(info_.n_cells), format_count(n_columns - 1), format_count(set_->bytes())),
                  {.file = path(), .reason = "bad_size"});
}

void ColumnarCells::read_obs() {
  require_room();
  std::vector<std::string> lists, others;
  std::vector<std::size_t> scalars;
  for (std::size_t column = 0; column < set_->fields().size(); ++column) {
    const ColumnarField& field = set_->fields()[column];
    if (is_scalar(field.kind)) scalars.push_back(column);
    if (is_list(field.kind) && field.name != "input_ids" && field.name != "genes" && field.name != "expressions")
      lists.push_back(field.name);
    if (field.kind == ColumnarKind::kOther) others.push_back(fmt::format("{} ({})", field.name, field.type));
  }
  obs_->columns = set_->read_columns(scalars);
  if (!lists.empty()) notes_.push_back("columns of lists that are not read: " + join_some(lists));
  if (!others.empty()) notes_.push_back("columns of types that are not read: " + join_some(others));
  for (const char* naming : kNaming)
    for (std::size_t at = 0; at < obs_->columns.size() && obs_->names.empty(); ++at) {
      const Column& column = obs_->columns[at];
      if (lower(column.name) != naming || column.kind == Column::Kind::kReal || column.kind == Column::Kind::kBoolean)
        continue;
      if (name_cells(column)) obs_->columns.erase(obs_->columns.begin() + static_cast<std::ptrdiff_t>(at));
    }
  if (!obs_->names.empty() || info_.n_cells == 0) return;
  obs_->names.reserve(static_cast<std::size_t>(info_.n_cells));
  for (std::int64_t row = 0; row < info_.n_cells; ++row) obs_->names.push_back(std::to_string(row));
}

std::unique_ptr<CellSource> ColumnarCells::open_matrix(const std::string& name) {
  if (name != info_.name && name != "X")
    throw UsageError(fmt::format("{} has no matrix '{}' (has: {})", path(), name, info_.name),
                     {.file = path(), .field = name, .reason = "missing_matrix"});
  return open_source();
}

Embedding ColumnarCells::read_obsm(const std::string& key) {
  throw UsageError(fmt::format("{} has no obsm '{}': it holds lists of genes only", path(), key),
                   {.file = path(), .field = key, .reason = "missing_obsm"});
}

Table numbered_var(std::int64_t n_tokens) {
  Table var;
  var.index_name = "token";
  for (std::int64_t token = 0; token < n_tokens; ++token) var.names.push_back(std::to_string(token));
  return var;
}

std::int64_t GeneOrder::take(std::uint32_t* genes, double* values) {
  std::int64_t n = 0;
  for (std::size_t at = 0; at < taken_.size(); ++at) {
    for (std::uint64_t word = taken_[at]; word; word &= word - 1) {
      const auto gene = static_cast<std::uint32_t>(at * 64 + static_cast<std::size_t>(std::countr_zero(word)));
      genes[n] = gene;
      values[n++] = value_[gene];
    }
    taken_[at] = 0;
  }
  return n;
}

void fill_chunk(std::int64_t first, const std::vector<std::int64_t>& places, std::vector<GeneOrder>& orders,
                std::int64_t n_genes, CellChunk& chunk,
                const std::function<std::int64_t(std::int64_t, GeneOrder&, std::uint32_t*, double*)>& convert) {
  constexpr std::int64_t kTaskCells = 64;
  const auto n_cells = static_cast<std::int64_t>(places.size()) - 1;
  chunk.first_cell = first;
  chunk.n_cells = n_cells;
  chunk.genes.resize(static_cast<std::size_t>(places.back()));
  chunk.values.resize(static_cast<std::size_t>(places.back()));
  while (static_cast<int>(orders.size()) < workers()) orders.emplace_back(n_genes);
  std::vector<std::int64_t> kept(static_cast<std::size_t>(n_cells));
  try {
    parallel_for((n_cells + kTaskCells - 1) / kTaskCells, [&](std::int64_t task, int worker) {
      for (std::int64_t cell = task * kTaskCells; cell < std::min(n_cells, (task + 1) * kTaskCells); ++cell) {
        const auto at = static_cast<std::size_t>(cell);
        const auto place = static_cast<std::size_t>(places[at]);
        kept[at] = convert(cell, orders[static_cast<std::size_t>(worker)], chunk.genes.data() + place,
                           chunk.values.data() + place);
      }
    });
  } catch (...) {
    orders.clear();  // a cell that failed half way left entries
    throw;
  }
  chunk.indptr.assign(1, 0);
  for (std::size_t at = 0; at < kept.size(); ++at) {
    const std::int64_t end = chunk.indptr.back();
    if (places[at] != end) {
      std::copy_n(chunk.genes.begin() + places[at], kept[at], chunk.genes.begin() + end);
      std::copy_n(chunk.values.begin() + places[at], kept[at], chunk.values.begin() + end);
    }
    chunk.indptr.push_back(end + kept[at]);
  }
  chunk.genes.resize(static_cast<std::size_t>(chunk.indptr.back()));
  chunk.values.resize(static_cast<std::size_t>(chunk.indptr.back()));
}

std::int64_t suitable_chunk(const ColumnarSet& set, std::int64_t rough_stored) {
  constexpr std::int64_t kEntries = (std::int64_t{64} << 20) / 12;
  const std::int64_t stored = rough_stored >= 0 ? rough_stored : set.bytes() / 2;
  const std::int64_t mean = set.n_rows() > 0 ? stored / set.n_rows() + 1 : 1;
  const std::int64_t cells = std::clamp<std::int64_t>(kEntries / mean, 16, 16384);
  return cells > set.piece_rows() ? cells / set.piece_rows() * set.piece_rows() : cells;
}

}  // namespace scvet::io
