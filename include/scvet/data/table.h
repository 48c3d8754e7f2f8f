// obs and var: named rows with typed columns, as in AnnData.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace scvet {

// One column. Exactly one of the value vectors is used, chosen by `kind`; its length is the table's row count.
struct Column {
  enum class Kind { kCategorical, kString, kBoolean, kInteger, kReal };

  std::string name;
  Kind kind = Kind::kString;
  // As pandas names it: category, object, bool, boolean (nullable), int64, Int64 (nullable), float32, ...
  std::string dtype;

  std::vector<std::string> categories;  // kCategorical, in the file's order
  std::vector<std::int32_t> codes;      // kCategorical: index into categories, -1 missing
  bool ordered = false;                 // kCategorical
  std::vector<std::string> strings;     // kString
  std::vector<std::int64_t> integers;   // kInteger, kBoolean (0 or 1); uint64 wraps
  std::vector<double> reals;            // kReal; NaN counts as missing
  std::vector<std::uint8_t> missing;    // kString, kInteger, kBoolean: 1 where missing; empty: none

  std::int64_t size() const;
  bool is_missing(std::int64_t row) const;
  // Value as text; "" where missing; booleans True and False, as pandas prints them.
  std::string text(std::int64_t row) const;
  // Levels of the column as labels: the categories (kCategorical) or the sorted distinct texts.
  // codes_out[row] is the level, -1 where missing.
  std::vector<std::string> levels(std::vector<std::int32_t>& codes_out) const;
};

Column string_column(std::string name, std::vector<std::string> values);
Column real_column(std::string name, std::vector<double> values);
Column integer_column(std::string name, std::vector<std::int64_t> values);
Column boolean_column(std::string name, std::vector<bool> values);
// Categories sorted; empty text is missing.
Column categorical_column(std::string name, const std::vector<std::string>& values);

struct Table {
  std::string index_name;          // "" when the file gives none
  std::vector<std::string> names;  // obs names or var names, one a row
  std::vector<Column> columns;

  std::int64_t rows() const { return static_cast<std::int64_t>(names.size()); }
  const Column* find(std::string_view column) const;
  std::vector<std::string> column_names() const;
};

// The rows in the order given; categories are kept.
Table select_rows(const Table& table, const std::vector<std::int64_t>& rows);

// The first name that occurs twice and the two rows; row_a = -1 when all are unique.
struct Duplicate {
  std::string name;
  std::int64_t row_a = -1, row_b = -1;
  std::int64_t n_duplicated = 0;  // rows whose name occurred before
};
Duplicate find_duplicate(const std::vector<std::string>& names);

// The column, or a UsageError that names the file, what it has, and the flag to change.
const Column& require_column(const Table& obs, std::string_view column, std::string_view file, std::string_view flag);

}  // namespace scvet
