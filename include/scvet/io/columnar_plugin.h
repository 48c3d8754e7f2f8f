// What the shared object libscvet_io_arrow.so gives the program (src/io_arrow/plugin.cpp; loaded by src/io).
#pragma once

#include <memory>
#include <string>

#include "scvet/io/columnar.h"

namespace scvet::io {

// Raised whenever a type of columnar.h or of table.h changes its layout.
inline constexpr int kColumnarInterface = 2;

struct ColumnarPlugin {
  int interface_number;  // kColumnarInterface of the plugin's own build
  const char* version;   // scvet's version of the same
  const char* library;   // "Arrow 26.0.1"
  std::unique_ptr<ColumnarFile> (*open)(const std::string& path);
  void (*write_parquet)(const std::string& path, const Table& table);  // in place, not atomic
};

inline constexpr const char* kColumnarPluginFile = "libscvet_io_arrow.so";
inline constexpr const char* kColumnarPluginSymbol = "scvet_columnar_plugin";

}  // namespace scvet::io
