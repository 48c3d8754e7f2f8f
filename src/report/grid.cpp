#include "scvet/report/grid.h"

#include <charconv>
#include <cmath>

#include "scvet/base/text.h"

namespace scvet::report {
namespace {

constexpr const char* kDash = "\xE2\x80\x93";  // what a missing number shows as

std::string in_format(double value, std::chars_format format, int precision) {
  char text[400];
  const auto end = std::to_chars(text, text + sizeof text, value, format, precision);
  return {text, end.ptr};
}

}  // namespace

std::string short_number(double value, int digits) {
  if (std::isnan(value)) return kDash;
  if (std::isinf(value)) return value < 0 ? "-\xE2\x88\x9E" : "\xE2\x88\x9E";
  if (std::abs(value) >= 1000 && std::abs(value) < 1e15) return format_count(std::llround(value));
  return in_format(value, std::chars_format::general, digits);
}

Cell count_cell(std::int64_t value) { return {format_count(value), static_cast<double>(value)}; }

Cell number_cell(double value, int digits) { return {short_number(value, digits), value}; }

Cell fixed_cell(double value, int decimals) {
  return {std::isfinite(value) ? in_format(value, std::chars_format::fixed, decimals) : short_number(value), value};
}

Cell percent_cell(double share, int decimals) {
  return {std::isnan(share) ? kDash : format_percent(share, decimals), share};
}

Cell interval_cell(double low, double high, int decimals) {
  if (std::isnan(low) || std::isnan(high)) return Cell(kDash);
  return Cell(in_format(100 * low, std::chars_format::fixed, decimals) + " to " +
              in_format(100 * high, std::chars_format::fixed, decimals) + " %");
}

Cell p_cell(double p) {
  if (p > 0 && p < 1e-12) return {"< 1e-12", p};
  return {short_number(p, 2), p};
}

Grid to_grid(const Table& table, std::string id, std::string caption) {
  Grid grid{.id = std::move(id), .caption = std::move(caption), .columns = {}, .rows = {}};
  grid.columns.push_back({.name = table.index_name, .numeric = false});
  for (const Column& column : table.columns)
    grid.columns.push_back(
        {.name = column.name, .numeric = column.kind == Column::Kind::kInteger || column.kind == Column::Kind::kReal});
  for (std::int64_t row = 0; row < table.rows(); ++row) {
    std::vector<Cell> cells{Cell(table.names[static_cast<std::size_t>(row)])};
    for (const Column& column : table.columns) {
      const auto at = static_cast<std::size_t>(row);
      if (column.is_missing(row))
        cells.emplace_back();
      else if (column.kind == Column::Kind::kInteger)
        cells.push_back(count_cell(column.integers[at]));
      else if (column.kind == Column::Kind::kReal)
        cells.push_back(number_cell(column.reals[at]));
      else
        cells.emplace_back(column.text(row));
    }
    grid.rows.push_back(std::move(cells));
  }
  return grid;
}

}  // namespace scvet::report
