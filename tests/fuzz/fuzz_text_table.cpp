// Tables of text, plain or gzipped, as tables and as cells.
#include <cstdlib>

#include "forked.h"
#include "scvet/io/text_table.h"
#include "temporary_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace scvet;
  static const fuzz::TemporaryFolder folder;
  const std::string path = folder.put("input.tsv", data, size);
  io::looks_like_text_table(path);  // promises not to throw
  fuzz::expect_own_errors([&] {
    const io::TextTable table = io::read_text_table(path);
    for (const Column& column : table.table.columns)
      if (column.size() != table.n_rows()) std::abort();
    io::table_embedding(table, "X", path);
  });
  fuzz::expect_own_errors([&] { io::read_text_table(path, {.name_column = "cell", .header = false}); });
  return 0;
}
