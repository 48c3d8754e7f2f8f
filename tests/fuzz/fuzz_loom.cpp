// The loom reader on mutated HDF5 bytes, in a child process.
#include "forked.h"
#include "read_everything.h"
#include "scvet/base/registry.h"
#include "scvet/io/format.h"
#include "temporary_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace scvet;
  static const fuzz::TemporaryFolder folder;
  static const io::FormatRecord& format = find_variant(io::formats(), "loom", "format");
  const std::string path = folder.put("input.loom", data, size);
  fuzz::run_forked([&] {
    format.recognises(path);  // promises not to throw
    fuzz::expect_own_errors([&] { fuzz::read_everything(*format.open(path, {})); });
  });
  return 0;
}
