#include "arrow_support.h"

#include <fmt/format.h>

#include <algorithm>

#include "scvet/base/error.h"
#include "scvet/base/text.h"

namespace scvet::io {
namespace {

constexpr std::int64_t kMegabyte = std::int64_t{1} << 20;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 50;

std::int64_t limit_of(std::int64_t file_bytes, std::int64_t times) {
  return 64 * kMegabyte + std::min(file_bytes, kMostBytes / times) * times;
}

ColumnarKind kind_of(const arrow::DataType& type) {
  const arrow::Type::type id = type.id();
  if (arrow::is_integer(id)) return ColumnarKind::kInteger;
  if (id == arrow::Type::FLOAT || id == arrow::Type::DOUBLE) return ColumnarKind::kReal;
  if (id == arrow::Type::BOOL) return ColumnarKind::kBoolean;
  if (id == arrow::Type::STRING || id == arrow::Type::LARGE_STRING || id == arrow::Type::NA) return ColumnarKind::kText;
  if (id == arrow::Type::DICTIONARY) {
    const auto value = static_cast<const arrow::DictionaryType&>(type).value_type()->id();
    return value == arrow::Type::STRING || value == arrow::Type::LARGE_STRING ? ColumnarKind::kText
                                                                              : ColumnarKind::kOther;
  }
  if (id == arrow::Type::LIST || id == arrow::Type::LARGE_LIST || id == arrow::Type::FIXED_SIZE_LIST) {
    const ColumnarKind value = kind_of(*static_cast<const arrow::BaseListType&>(type).value_type());
    if (value == ColumnarKind::kInteger) return ColumnarKind::kIntegerList;
    if (value == ColumnarKind::kReal) return ColumnarKind::kRealList;
  }
  return ColumnarKind::kOther;
}

}  // namespace

void refuse(const std::string& file, const std::string& doing, const arrow::Status& status) {
  if (status.IsOutOfMemory())
    throw DataError(fmt::format("{}: cannot {}: the file claims sizes that a file of its size cannot hold ({})", file,
                                doing, status.message()),
                    {.file = file, .reason = "bad_size"});
  throw DataError(fmt::format("{}: cannot {}: {}", file, doing, status.message()),
                  {.file = file, .reason = "broken_arrow"});
}

void refuse(const ColumnPlace& place, std::int64_t row, const std::string& what, const char* reason) {
  throw DataError(fmt::format("{}: column '{}', row {}: {}", *place.file, *place.column, row, what),
                  {.file = *place.file, .field = *place.column, .row = row, .reason = reason});
}

void require(const arrow::Status& status, const std::string& file, const std::string& doing) {
  if (!status.ok()) refuse(file, doing, status);
}

FileMemory::FileMemory(std::int64_t file_bytes)
    : own_(arrow::system_memory_pool()), capped_(&own_, limit_of(file_bytes, 256)) {}

std::int64_t text_limit(std::int64_t file_bytes) { return limit_of(file_bytes, 64); }

void require_plausible(std::int64_t n_rows, std::int64_t file_bytes, const std::string& file) {
  if (n_rows >= 0 && n_rows <= 16 * std::min(file_bytes, kMostBytes / 16) + 65536) return;
  throw DataError(fmt::format("{} claims {} rows, more than a file of {} bytes can hold", file, format_count(n_rows),
                              format_count(file_bytes)),
                  {.file = file, .reason = "bad_size"});
}

ColumnarField describe_field(const arrow::Field& field) {
  ColumnarField result;
  result.name = field.name();
  result.kind = kind_of(*field.type());
  result.type = field.type()->ToString();
  if (result.kind == ColumnarKind::kIntegerList || result.kind == ColumnarKind::kRealList)
    result.value_type = static_cast<const arrow::BaseListType&>(*field.type()).value_type()->ToString();
  else
    result.value_type = result.type;
  return result;
}

}  // namespace scvet::io
