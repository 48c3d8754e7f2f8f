#include <arrow/builder.h>
#include <arrow/io/file.h>
#include <arrow/table.h>
#include <fmt/format.h>
#include <parquet/arrow/writer.h>
#include <parquet/exception.h>

#include <cmath>

#include "readers.h"
#include "scvet/base/error.h"

namespace scvet::io {
namespace {

void require_written(const arrow::Status& status, const std::string& path) {
  if (!status.ok())
    throw ResourceError(fmt::format("cannot write {}: {}", path, status.message()), {.file = path, .reason = "write"});
}

template <typename Builder, typename Append>
std::shared_ptr<arrow::Array> build(const std::string& path, std::int64_t rows, const Append& append) {
  Builder builder;
  require_written(builder.Reserve(rows), path);
  for (std::int64_t row = 0; row < rows; ++row) require_written(append(builder, row), path);
  std::shared_ptr<arrow::Array> array;
  require_written(builder.Finish(&array), path);
  return array;
}

std::shared_ptr<arrow::Array> text_array(const std::string& path, const Column& column) {
  return build<arrow::StringBuilder>(path, column.size(), [&](arrow::StringBuilder& builder, std::int64_t row) {
    return column.is_missing(row) ? builder.AppendNull() : builder.Append(column.text(row));
  });
}

std::shared_ptr<arrow::Array> column_array(const std::string& path, const Column& column) {
  const auto at = [](std::int64_t row) { return static_cast<std::size_t>(row); };
  switch (column.kind) {
    case Column::Kind::kReal:
      return build<arrow::DoubleBuilder>(path, column.size(), [&](arrow::DoubleBuilder& builder, std::int64_t row) {
        return std::isnan(column.reals[at(row)]) ? builder.AppendNull() : builder.Append(column.reals[at(row)]);
      });
    case Column::Kind::kInteger:
      return build<arrow::Int64Builder>(path, column.size(), [&](arrow::Int64Builder& builder, std::int64_t row) {
        return column.is_missing(row) ? builder.AppendNull() : builder.Append(column.integers[at(row)]);
      });
    case Column::Kind::kBoolean:
      return build<arrow::BooleanBuilder>(path, column.size(), [&](arrow::BooleanBuilder& builder, std::int64_t row) {
        return column.is_missing(row) ? builder.AppendNull() : builder.Append(column.integers[at(row)] != 0);
      });
    default:
      return text_array(path, column);
  }
}

}  // namespace

void write_parquet_file(const std::string& path, const Table& table) {
  arrow::FieldVector fields;
  arrow::ArrayVector arrays;
  const auto add = [&](const std::string& name, std::shared_ptr<arrow::Array> array) {
    fields.push_back(arrow::field(name, array->type()));
    arrays.push_back(std::move(array));
  };
  add(table.index_name, text_array(path, string_column(table.index_name, table.names)));
  for (const Column& column : table.columns) add(column.name, column_array(path, column));
  try {
    auto opened = arrow::io::FileOutputStream::Open(path);
    require_written(opened.status(), path);
    const auto properties = parquet::WriterProperties::Builder().compression(arrow::Compression::ZSTD)->build();
    require_written(parquet::arrow::WriteTable(*arrow::Table::Make(arrow::schema(fields), arrays, table.rows()),
                                               arrow::default_memory_pool(), *opened, 1 << 20, properties),
                    path);
    require_written((*opened)->Close(), path);
  } catch (const parquet::ParquetException& error) {
    throw ResourceError(fmt::format("cannot write {}: {}", path, error.what()), {.file = path, .reason = "write"});
  }
}

}  // namespace scvet::io
