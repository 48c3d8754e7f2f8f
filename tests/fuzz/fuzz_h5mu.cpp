// The h5mu reader on mutated HDF5 bytes, in a child process: every modality.
#include "forked.h"
#include "read_everything.h"
#include "scvet/base/registry.h"
#include "scvet/io/format.h"
#include "scvet/io/mudata.h"
#include "temporary_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace scvet;
  static const fuzz::TemporaryFolder folder;
  static const io::FormatRecord& format = find_variant(io::formats(), "h5mu", "format");
  const std::string path = folder.put("input.h5mu", data, size);
  fuzz::run_forked([&] {
    for (const std::string& modality : io::mudata_parts(path).modalities)  // promises not to throw
      fuzz::expect_own_errors([&] { fuzz::read_everything(*format.open(path, {.modality = modality})); });
    fuzz::expect_own_errors([&] { format.open(path, {}); });
  });
  return 0;
}
