// The one function that libscvet_io_arrow.so shows.
#include "scvet/io/columnar_plugin.h"

#include <arrow/util/config.h>

#include <fstream>

#include "readers.h"

namespace scvet::io {
namespace {

std::unique_ptr<ColumnarFile> open(const std::string& path) {
  char head[4] = {};
  std::ifstream(path, std::ios::binary).read(head, sizeof head);
  return std::string(head, sizeof head) == "PAR1" ? open_parquet(path) : open_ipc(path);
}

constexpr ColumnarPlugin kPlugin = {kColumnarInterface, SCVET_VERSION, "Arrow " ARROW_VERSION_STRING, open,
                                    write_parquet_file};

}  // namespace
}  // namespace scvet::io

extern "C" __attribute__((visibility("default"))) const scvet::io::ColumnarPlugin* scvet_columnar_plugin() {
  return &scvet::io::kPlugin;
}
