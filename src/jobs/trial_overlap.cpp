#include "trial_overlap.h"

#include <fmt/format.h>

#include <optional>
#include <unordered_map>

#include "scvet/base/error.h"
#include "scvet/base/text.h"
#include "scvet/io/columnar.h"
#include "scvet/io/text_table.h"

namespace scvet::jobs {
namespace {

using trial::CellOverlap;

std::optional<CellOverlap> parse(const std::string& text) {
  const std::string word = lower(text);
  if (word == "exposed" || word == "1" || word == "1.0" || word == "true") return CellOverlap::kExposed;
  if (word == "clean" || word == "0" || word == "0.0" || word == "false") return CellOverlap::kClean;
  if (word == "unknown" || word.empty() || word == "nan") return CellOverlap::kUnknown;
  return std::nullopt;
}

// Names first, by the index of the table.
Table read_columns(const std::string& path) {
  if (!io::looks_like_parquet(path)) return io::read_text_table(path).table;
  auto file = io::open_columnar(path);
  Table table;
  for (std::size_t at = 0; at < file->fields().size(); ++at) {
    const io::ColumnarKind kind = file->fields()[at].kind;
    if (kind == io::ColumnarKind::kOther || kind == io::ColumnarKind::kIntegerList ||
        kind == io::ColumnarKind::kRealList)
      continue;
    Column column = file->read_column(at);
    if (table.names.empty() && kind == io::ColumnarKind::kText) {
      for (std::int64_t row = 0; row < column.size(); ++row) table.names.push_back(column.text(row));
      continue;
    }
    table.columns.push_back(std::move(column));
  }
  return table;
}

}  // namespace

std::vector<CellOverlap> read_overlap(const std::string& path, const std::string& column,
                                      const std::vector<std::string>& cell_names) {
  const Table table = read_columns(path);
  const Column& values = require_column(table, column, path, "--overlap-key");
  std::unordered_map<std::string, CellOverlap> of_cell;
  for (std::int64_t row = 0; row < table.rows(); ++row) {
    const auto found = parse(values.text(row));
    if (!found)
      throw DataError(fmt::format("{}: column '{}', row {}: expected exposed, clean, unknown, 0 or 1, found '{}'", path,
                                  column, row, values.text(row)),
                      {.file = path, .field = column, .row = row});
    of_cell[table.names[static_cast<std::size_t>(row)]] = *found;
  }
  std::vector<CellOverlap> overlap;
  std::int64_t matched = 0;
  for (const std::string& name : cell_names) {
    const auto found = of_cell.find(name);
    matched += found != of_cell.end();
    overlap.push_back(found == of_cell.end() ? CellOverlap::kUnknown : found->second);
  }
  if (matched == 0)
    throw DataError(
        fmt::format("{}: none of its cells is in the screen (such as '{}' there, '{}' here); cells are joined "
                    "by name",
                    path, table.names.empty() ? "" : table.names.front(), cell_names.empty() ? "" : cell_names.front()),
        {.file = path, .reason = "cells_unmatched"});
  return overlap;
}

}  // namespace scvet::jobs
