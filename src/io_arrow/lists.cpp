// List columns to offsets and values.
#include <arrow/array.h>
#include <fmt/format.h>

#include <limits>

#include "arrow_support.h"

namespace scvet::io {
namespace {

// The values of rows [0, length) of a list array without missing lists, and the place of each row's end among them.
struct Flat {
  std::shared_ptr<arrow::Array> values;
  std::int64_t from = 0, to = 0;
};

template <typename ListArray>
Flat flatten(const arrow::Array& array, ColumnarLists& lists, std::int64_t base) {
  const auto& list = static_cast<const ListArray&>(array);
  const std::int64_t n = list.length(), from = list.value_offset(0);
  for (std::int64_t row = 0; row < n; ++row) lists.offsets.push_back(base + list.value_offset(row + 1) - from);
  return {list.values(), from, list.value_offset(n)};
}

Flat flatten(const arrow::Array& array, ColumnarLists& lists) {
  const std::int64_t base = lists.offsets.back();
  switch (array.type_id()) {
    case arrow::Type::LIST:
      return flatten<arrow::ListArray>(array, lists, base);
    case arrow::Type::LARGE_LIST:
      return flatten<arrow::LargeListArray>(array, lists, base);
    default:
      return flatten<arrow::FixedSizeListArray>(array, lists, base);
  }
}

// The row of the array that holds value `at`, counted from the array's first value.
std::int64_t row_of_value(const ColumnarLists& lists, std::size_t first_row, std::int64_t at) {
  const auto begin = lists.offsets.begin() + static_cast<std::ptrdiff_t>(first_row);
  return std::upper_bound(begin, lists.offsets.end(), *begin + at) - begin - 1;
}

template <typename ArrowArray, typename Value>
void copy_values(const Flat& flat, std::vector<Value>& out) {
  const auto* values = static_cast<const ArrowArray&>(*flat.values).raw_values();
  if (flat.to > flat.from) out.insert(out.end(), values + flat.from, values + flat.to);
}

// The first value above 2^63 - 1, -1 none.
std::int64_t find_overlarge(const Flat& flat) {
  const auto* values = static_cast<const arrow::UInt64Array&>(*flat.values).raw_values();
  for (std::int64_t at = flat.from; at < flat.to; ++at)
    if (values[at] > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return at - flat.from;
  return -1;
}

bool copy_flat(const Flat& flat, ColumnarLists& lists) {
  switch (flat.values->type_id()) {
    case arrow::Type::INT8:
      return copy_values<arrow::Int8Array>(flat, lists.integers), true;
    case arrow::Type::INT16:
      return copy_values<arrow::Int16Array>(flat, lists.integers), true;
    case arrow::Type::INT32:
      return copy_values<arrow::Int32Array>(flat, lists.integers), true;
    case arrow::Type::INT64:
      return copy_values<arrow::Int64Array>(flat, lists.integers), true;
    case arrow::Type::UINT8:
      return copy_values<arrow::UInt8Array>(flat, lists.integers), true;
    case arrow::Type::UINT16:
      return copy_values<arrow::UInt16Array>(flat, lists.integers), true;
    case arrow::Type::UINT32:
      return copy_values<arrow::UInt32Array>(flat, lists.integers), true;
    case arrow::Type::UINT64:
      return copy_values<arrow::UInt64Array>(flat, lists.integers), true;
    case arrow::Type::FLOAT:
      return copy_values<arrow::FloatArray>(flat, lists.reals), true;
    case arrow::Type::DOUBLE:
      return copy_values<arrow::DoubleArray>(flat, lists.reals), true;
    default:
      return false;
  }
}

}  // namespace

void clear_lists(std::vector<ColumnarLists>& lists, std::size_t n) {
  lists.resize(n);
  for (ColumnarLists& list : lists) {
    list.offsets.assign(1, 0);
    list.integers.clear();
    list.reals.clear();
  }
}

void append_lists(const arrow::Array& array, const ColumnPlace& place, ColumnarLists& lists) {
  if (lists.offsets.empty()) lists.offsets.push_back(0);
  if (array.length() == 0) return;
  require(array.ValidateFull(), *place.file, fmt::format("read column '{}'", *place.column));
  if (array.null_count() > 0)
    for (std::int64_t row = 0; row < array.length(); ++row)
      if (array.IsNull(row)) refuse(place, place.first_row + row, "the list is missing (null)", "missing_list");
  const std::size_t first_row = lists.offsets.size() - 1;
  const Flat flat = flatten(array, lists);
  const auto row_at = [&](std::int64_t at) { return place.first_row + row_of_value(lists, first_row, at); };
  if (flat.values->null_count() > 0)
    for (std::int64_t at = flat.from; at < flat.to; ++at)
      if (flat.values->IsNull(at))
        refuse(place, row_at(at - flat.from), "a value in the list is missing (null)", "missing_value");
  if (flat.values->type_id() == arrow::Type::UINT64)
    if (const std::int64_t at = find_overlarge(flat); at >= 0)
      refuse(place, row_at(at), "a value in the list is above 2^63 - 1", "bad_value");
  if (!copy_flat(flat, lists))
    refuse(place, place.first_row, "lists of " + flat.values->type()->ToString() + " cannot be read", "bad_type");
}

std::int64_t count_stored(const arrow::Array& array, const ColumnPlace& place) {
  require(array.Validate(), *place.file, fmt::format("read column '{}'", *place.column));
  const std::int64_t n = array.length();
  if (n == 0) return 0;
  switch (array.type_id()) {
    case arrow::Type::LIST: {
      const auto& list = static_cast<const arrow::ListArray&>(array);
      return std::int64_t{list.value_offset(n)} - list.value_offset(0);
    }
    case arrow::Type::LARGE_LIST: {
      const auto& list = static_cast<const arrow::LargeListArray&>(array);
      return list.value_offset(n) - list.value_offset(0);
    }
    case arrow::Type::FIXED_SIZE_LIST: {
      const std::int64_t size = static_cast<const arrow::FixedSizeListArray&>(array).list_type()->list_size();
      if (size <= 0) refuse(place, place.first_row, "lists of no values cannot be read", "bad_type");
      return n * size;
    }
    default:
      return 0;
  }
}

}  // namespace scvet::io
