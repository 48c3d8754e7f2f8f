// Scalar columns to columns of a table.
#include <arrow/array.h>
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "arrow_support.h"
#include "scvet/base/error.h"

namespace scvet::io {
namespace {

template <typename ArrowArray, typename Value>
void append_numbers(const arrow::Array& array, std::vector<Value>& out) {
  const auto& typed = static_cast<const ArrowArray&>(array);
  for (std::int64_t row = 0; row < array.length(); ++row)
    out.push_back(typed.IsNull(row) ? Value{} : static_cast<Value>(typed.Value(row)));
}

bool append_integers(const arrow::Array& array, std::vector<std::int64_t>& out) {
  switch (array.type_id()) {
    case arrow::Type::INT8:
      return append_numbers<arrow::Int8Array>(array, out), true;
    case arrow::Type::INT16:
      return append_numbers<arrow::Int16Array>(array, out), true;
    case arrow::Type::INT32:
      return append_numbers<arrow::Int32Array>(array, out), true;
    case arrow::Type::INT64:
      return append_numbers<arrow::Int64Array>(array, out), true;
    case arrow::Type::UINT8:
      return append_numbers<arrow::UInt8Array>(array, out), true;
    case arrow::Type::UINT16:
      return append_numbers<arrow::UInt16Array>(array, out), true;
    case arrow::Type::UINT32:
      return append_numbers<arrow::UInt32Array>(array, out), true;
    case arrow::Type::UINT64:
      return append_numbers<arrow::UInt64Array>(array, out), true;
    case arrow::Type::BOOL:
      return append_numbers<arrow::BooleanArray>(array, out), true;
    default:
      return false;
  }
}

bool append_reals(const arrow::Array& array, std::vector<double>& out) {
  const std::size_t first = out.size();
  if (array.type_id() == arrow::Type::FLOAT)
    append_numbers<arrow::FloatArray>(array, out);
  else if (array.type_id() == arrow::Type::DOUBLE)
    append_numbers<arrow::DoubleArray>(array, out);
  else
    return false;
  if (array.null_count() > 0)
    for (std::int64_t row = 0; row < array.length(); ++row)
      if (array.IsNull(row)) out[first + static_cast<std::size_t>(row)] = std::numeric_limits<double>::quiet_NaN();
  return true;
}

std::string_view text_at(const arrow::Array& array, std::int64_t row) {
  return array.type_id() == arrow::Type::LARGE_STRING ? static_cast<const arrow::LargeStringArray&>(array).GetView(row)
                                                      : static_cast<const arrow::StringArray&>(array).GetView(row);
}

bool is_text(const arrow::Array& array) {
  return array.type_id() == arrow::Type::STRING || array.type_id() == arrow::Type::LARGE_STRING;
}

}  // namespace

ColumnGatherer::ColumnGatherer(const arrow::Field& field, std::int64_t text_limit) : text_left_(text_limit) {
  const ColumnarField described = describe_field(field);
  column_.name = described.name;
  column_.dtype = described.type;
  if (described.kind == ColumnarKind::kInteger)
    column_.kind = Column::Kind::kInteger;
  else if (described.kind == ColumnarKind::kReal)
    column_.kind = Column::Kind::kReal, column_.dtype = described.type == "float" ? "float32" : "float64";
  else if (described.kind == ColumnarKind::kBoolean)
    column_.kind = Column::Kind::kBoolean, column_.dtype = "bool";
  else if (field.type()->id() == arrow::Type::DICTIONARY)
    column_.kind = Column::Kind::kCategorical, column_.dtype = "category";
  else
    column_.kind = Column::Kind::kString, column_.dtype = "object";
}

void ColumnGatherer::add_text(std::string_view text, const ColumnPlace& place) {
  text_left_ -= static_cast<std::int64_t>(text.size());
  if (text_left_ < 0)
    refuse(place, place.first_row, "its text unfolds to more than a file of this size can hold", "bad_size");
}

void ColumnGatherer::add_categories(const arrow::Array& array, const ColumnPlace& place) {
  const auto& coded = static_cast<const arrow::DictionaryArray&>(array);
  const arrow::Array& dictionary = *coded.dictionary();
  if (!is_text(dictionary)) refuse(place, place.first_row, "its dictionary holds no text", "bad_type");
  // Each batch may bring a dictionary of its own.
  std::vector<std::int32_t> codes(static_cast<std::size_t>(dictionary.length()), -1);
  for (std::int64_t entry = 0; entry < dictionary.length(); ++entry) {
    if (dictionary.IsNull(entry)) continue;
    const std::string text(text_at(dictionary, entry));
    const auto [found, fresh] = code_of_.try_emplace(text, static_cast<std::int32_t>(column_.categories.size()));
    if (fresh) {
      add_text(text, place);
      column_.categories.push_back(text);
    }
    codes[static_cast<std::size_t>(entry)] = found->second;
  }
  for (std::int64_t row = 0; row < array.length(); ++row)
    column_.codes.push_back(coded.IsNull(row) ? -1 : codes[static_cast<std::size_t>(coded.GetValueIndex(row))]);
}

void ColumnGatherer::add(const arrow::Array& array, const ColumnPlace& place) {
  require(array.ValidateFull(), *place.file, fmt::format("read column '{}'", *place.column));
  if (column_.kind == Column::Kind::kCategorical) return add_categories(array, place);
  if (column_.kind == Column::Kind::kReal) {
    if (!append_reals(array, column_.reals)) refuse(place, place.first_row, "its type changes", "bad_type");
    return;
  }
  for (std::int64_t row = 0; row < array.length(); ++row) {
    const bool missing = array.IsNull(row);
    any_missing_ = any_missing_ || missing;
    column_.missing.push_back(missing);
  }
  if (column_.kind == Column::Kind::kString) {
    for (std::int64_t row = 0; row < array.length(); ++row) {
      const std::string_view text = array.IsNull(row) || !is_text(array) ? std::string_view() : text_at(array, row);
      add_text(text, place);
      column_.strings.emplace_back(text);
    }
  } else if (!append_integers(array, column_.integers)) {
    refuse(place, place.first_row, "its type changes", "bad_type");
  }
}

Column ColumnGatherer::finish() {
  if (!any_missing_) column_.missing.clear();
  if (any_missing_ && column_.kind == Column::Kind::kInteger)  // as pandas writes its nullable types
    column_.dtype = column_.dtype[0] == 'u' ? "UI" + column_.dtype.substr(2) : "I" + column_.dtype.substr(1);
  if (any_missing_ && column_.kind == Column::Kind::kBoolean) column_.dtype = "boolean";
  return std::move(column_);
}

}  // namespace scvet::io
