#include <fmt/format.h>

#include <cmath>

#include "scvet/base/error.h"
#include "scvet/base/text.h"
#include "scvet/io/text_table.h"
#include "scvet/jobs/benchmark.h"

namespace scvet::jobs {
namespace {

const Column& column_of(const Table& table, const char* name, const std::string& path) {
  if (const Column* column = table.find(name)) return *column;
  throw DataError(fmt::format("{}: no column '{}'; a table of scores has sample_id, method, metric, value, note, "
                              "metric_group, n_cells, n_dims, n_labels and n_batches",
                              path, name),
                  {.file = path, .field = name, .reason = "no_column"});
}

// NaN for an empty field.
double number_of(const Column& column, std::int64_t row, const std::string& path) {
  const std::string text = column.text(row);
  if (text.empty()) return std::nan("");
  if (const auto number = parse_number(text)) return *number;
  throw DataError(fmt::format("{}: '{}' in column '{}' is no number", path, text, column.name),
                  {.file = path, .field = column.name, .row = row, .reason = "no_number"});
}

// -1 for an empty field.
std::int64_t count_of(const Column& column, std::int64_t row, const std::string& path) {
  const double value = number_of(column, row, path);
  return std::isnan(value) ? -1 : static_cast<std::int64_t>(value);
}

}  // namespace

std::vector<ScoreRow> read_scores(const std::string& path) {
  const io::TextTable file = io::read_text_table(path, {.name_column = "metric", .header = true, .verbatim = true});
  const Table& table = file.table;
  const Column &sample = column_of(table, "sample_id", path), &method = column_of(table, "method", path),
               &value = column_of(table, "value", path), &note = column_of(table, "note", path),
               &group = column_of(table, "metric_group", path), &cells = column_of(table, "n_cells", path),
               &dims = column_of(table, "n_dims", path), &labels = column_of(table, "n_labels", path),
               &batches = column_of(table, "n_batches", path);
  std::vector<ScoreRow> rows;
  for (std::int64_t row = 0; row < table.rows(); ++row)
    rows.push_back({sample.text(row), method.text(row), table.names[static_cast<std::size_t>(row)],
                    number_of(value, row, path), note.text(row), group.text(row), count_of(cells, row, path),
                    count_of(dims, row, path), count_of(labels, row, path), count_of(batches, row, path)});
  return rows;
}

}  // namespace scvet::jobs
