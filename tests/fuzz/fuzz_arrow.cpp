// Arrow streams and files and parquet on mutated bytes: as cells, as a table of genes, and column by column. In this
// process: libarrow's own readers are fuzzed by its makers, and nothing of it is excused.
#include <algorithm>
#include <cstdlib>

#include "forked.h"
#include "read_everything.h"
#include "scvet/io/columnar.h"
#include "scvet/io/format.h"
#include "temporary_file.h"

namespace {

void read_columns(const std::string& path) {
  using namespace scvet::io;
  const auto file = open_columnar(path);
  std::vector<ColumnarLists> lists;
  for (std::size_t column = 0; column < file->fields().size(); ++column)
    scvet::fuzz::expect_own_errors([&] {
      const ColumnarKind kind = file->fields()[column].kind;
      if (kind == ColumnarKind::kIntegerList || kind == ColumnarKind::kRealList)
        file->read_lists({column}, 0, std::min<std::int64_t>(file->n_rows(), 100), lists);
      else if (kind != ColumnarKind::kOther)
        file->read_column(column);
    });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace scvet;
  static const bool named = setenv("SCVET_PLUGINS", SCVET_PLUGIN_DIR, 0) == 0;
  static const fuzz::TemporaryFolder folder;
  const std::string path = folder.put("input", data, size);
  if (!named || (!io::looks_like_arrow(path) && !io::looks_like_parquet(path))) return 0;
  fuzz::expect_own_errors([&] { fuzz::read_everything(*io::open_cells(path)); });
  io::OpenOptions options;
  options.dictionary = path;
  fuzz::expect_own_errors([&] { fuzz::read_everything(*io::open_cells(path, options)); });
  fuzz::expect_own_errors([&] { read_columns(path); });
  return 0;
}
