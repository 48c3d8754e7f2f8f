// The two readers behind ColumnarFile.
#pragma once

#include <memory>
#include <string>

#include "scvet/io/columnar.h"

namespace scvet::io {

std::unique_ptr<ColumnarFile> open_ipc(const std::string& path);
std::unique_ptr<ColumnarFile> open_parquet(const std::string& path);
void write_parquet_file(const std::string& path, const Table& table);

}  // namespace scvet::io
