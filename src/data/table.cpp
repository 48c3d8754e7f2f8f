#include "scvet/data/table.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "scvet/base/error.h"
#include "scvet/base/text.h"

namespace scvet {

std::int64_t Column::size() const {
  switch (kind) {
    case Kind::kCategorical:
      return static_cast<std::int64_t>(codes.size());
    case Kind::kString:
      return static_cast<std::int64_t>(strings.size());
    case Kind::kReal:
      return static_cast<std::int64_t>(reals.size());
    case Kind::kBoolean:
    case Kind::kInteger:
      return static_cast<std::int64_t>(integers.size());
  }
  return 0;
}

bool Column::is_missing(std::int64_t row) const {
  const auto at = static_cast<std::size_t>(row);
  if (kind == Kind::kCategorical) return codes[at] < 0;
  if (kind == Kind::kReal && std::isnan(reals[at])) return true;
  return !missing.empty() && missing[at] != 0;
}

std::string Column::text(std::int64_t row) const {
  if (is_missing(row)) return "";
  const auto at = static_cast<std::size_t>(row);
  switch (kind) {
    case Kind::kCategorical:
      return categories[static_cast<std::size_t>(codes[at])];
    case Kind::kString:
      return strings[at];
    case Kind::kBoolean:
      return integers[at] ? "True" : "False";
    case Kind::kInteger:
      return std::to_string(integers[at]);
    case Kind::kReal:
      return format_number(reals[at]);
  }
  return "";
}

std::vector<std::string> Column::levels(std::vector<std::int32_t>& codes_out) const {
  if (kind == Kind::kCategorical) {
    codes_out = codes;
    return categories;
  }
  std::map<std::string, std::int32_t> distinct;
  const std::int64_t rows = size();
  for (std::int64_t row = 0; row < rows; ++row)
    if (!is_missing(row)) distinct.emplace(text(row), 0);
  std::vector<std::string> names;
  for (auto& [level, code] : distinct) {
    code = static_cast<std::int32_t>(names.size());
    names.push_back(level);
  }
  codes_out.assign(static_cast<std::size_t>(rows), -1);
  for (std::int64_t row = 0; row < rows; ++row)
    if (!is_missing(row)) codes_out[static_cast<std::size_t>(row)] = distinct.at(text(row));
  return names;
}

Column string_column(std::string name, std::vector<std::string> values) {
  Column column;
  column.name = std::move(name);
  column.kind = Column::Kind::kString;
  column.dtype = "object";
  column.strings = std::move(values);
  return column;
}

Column real_column(std::string name, std::vector<double> values) {
  Column column;
  column.name = std::move(name);
  column.kind = Column::Kind::kReal;
  column.dtype = "float64";
  column.reals = std::move(values);
  return column;
}

Column integer_column(std::string name, std::vector<std::int64_t> values) {
  Column column;
  column.name = std::move(name);
  column.kind = Column::Kind::kInteger;
  column.dtype = "int64";
  column.integers = std::move(values);
  return column;
}

Column boolean_column(std::string name, std::vector<bool> values) {
  Column column;
  column.name = std::move(name);
  column.kind = Column::Kind::kBoolean;
  column.dtype = "bool";
  column.integers.assign(values.begin(), values.end());
  return column;
}

Column categorical_column(std::string name, const std::vector<std::string>& values) {
  Column column;
  column.name = std::move(name);
  column.kind = Column::Kind::kCategorical;
  column.dtype = "category";
  column.categories = values;
  std::sort(column.categories.begin(), column.categories.end());
  column.categories.erase(std::unique(column.categories.begin(), column.categories.end()), column.categories.end());
  if (!column.categories.empty() && column.categories.front().empty())
    column.categories.erase(column.categories.begin());
  for (const std::string& value : values) {
    const auto at = std::lower_bound(column.categories.begin(), column.categories.end(), value);
    column.codes.push_back(value.empty() ? -1 : static_cast<std::int32_t>(at - column.categories.begin()));
  }
  return column;
}

const Column* Table::find(std::string_view column) const {
  for (const Column& candidate : columns)
    if (candidate.name == column) return &candidate;
  return nullptr;
}

std::vector<std::string> Table::column_names() const {
  std::vector<std::string> names_of_columns;
  for (const Column& column : columns) names_of_columns.push_back(column.name);
  return names_of_columns;
}

namespace {
template <typename Value>
std::vector<Value> pick(const std::vector<Value>& values, const std::vector<std::int64_t>& rows) {
  std::vector<Value> chosen;
  if (values.empty()) return chosen;
  chosen.reserve(rows.size());
  for (const std::int64_t row : rows) chosen.push_back(values[static_cast<std::size_t>(row)]);
  return chosen;
}
}  // namespace

Table select_rows(const Table& table, const std::vector<std::int64_t>& rows) {
  Table chosen;
  chosen.index_name = table.index_name;
  chosen.names = pick(table.names, rows);
  for (const Column& column : table.columns) {
    Column part = column;
    part.codes = pick(column.codes, rows);
    part.strings = pick(column.strings, rows);
    part.integers = pick(column.integers, rows);
    part.reals = pick(column.reals, rows);
    part.missing = pick(column.missing, rows);
    chosen.columns.push_back(std::move(part));
  }
  return chosen;
}

Duplicate find_duplicate(const std::vector<std::string>& names) {
  Duplicate found;
  std::unordered_map<std::string_view, std::int64_t> first;
  first.reserve(names.size());
  for (std::size_t row = 0; row < names.size(); ++row) {
    const auto [at, inserted] = first.emplace(names[row], static_cast<std::int64_t>(row));
    if (inserted) continue;
    ++found.n_duplicated;
    if (found.row_a < 0) found = {names[row], at->second, static_cast<std::int64_t>(row), found.n_duplicated};
  }
  return found;
}

const Column& require_column(const Table& obs, std::string_view column, std::string_view file, std::string_view flag) {
  if (const Column* found = obs.find(column)) return *found;
  const std::vector<std::string> names = obs.column_names();
  std::string message = "obs column '" + std::string(column) + "' not found in " + std::string(file);
  message += names.empty() ? " (it has no columns)" : " (has: " + join_some(names, 12) + ")";
  if (const auto near = nearest_name(column, names)) message += "; did you mean '" + *near + "'?";
  throw UsageError(message + "; pass " + std::string(flag),
                   {.file = std::string(file), .field = std::string(column), .reason = "missing_column"});
}

}  // namespace scvet
