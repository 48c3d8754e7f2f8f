// The 10x mtx reader: one input is the three files of a folder (see split_parts).
#include "forked.h"
#include "read_everything.h"
#include "scvet/base/registry.h"
#include "scvet/io/format.h"
#include "temporary_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace scvet;
  static const fuzz::TemporaryFolder folder;
  static const io::FormatRecord& format = find_variant(io::formats(), "tenx_mtx", "format");
  const auto parts = fuzz::split_parts(data, size, 3);
  const char* const names[] = {"matrix.mtx", "features.tsv", "barcodes.tsv"};
  for (std::size_t part = 0; part < 3; ++part) folder.put(names[part], parts[part].data(), parts[part].size());
  format.recognises(folder.path());  // promises not to throw
  fuzz::expect_own_errors([&] { fuzz::read_everything(*format.open(folder.path(), {})); });
  return 0;
}
