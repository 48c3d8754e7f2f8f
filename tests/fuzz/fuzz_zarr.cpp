// Zarr stores. An input is a list of keys and their bytes, joined by border lines, which is made into a zip archive
// with right checksums: mutations reach the metadata and the chunks.
#include "forked.h"
#include "read_everything.h"
#include "scvet/base/registry.h"
#include "scvet/io/format.h"
#include "scvet/io/mudata.h"
#include "temporary_file.h"
#include "unit/io/zip_builder.h"

namespace {

constexpr std::size_t kMostKeys = 96;

std::string archive(const std::uint8_t* data, std::size_t size) {
  scvet::io::ZipBuilder zip;
  for (const std::vector<std::uint8_t>& part : scvet::fuzz::split_parts(data, size, kMostKeys)) {
    const std::string text(part.begin(), part.end());
    const std::size_t end = text.find('\n');
    if (end == std::string::npos || end > 200) continue;
    zip.add(text.substr(0, end), text.substr(end + 1));
  }
  return zip.bytes();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace scvet;
  static const fuzz::TemporaryFolder folder;
  static const io::FormatRecord& format = find_variant(io::formats(), "zarr", "format");
  const std::string bytes = archive(data, size);
  const std::string path =
      folder.put("input.zarr.zip", reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  format.recognises(path);  // promises not to throw
  fuzz::expect_own_errors([&] { fuzz::read_everything(*format.open(path, {})); });
  io::mudata_parts(path);  // so does this
  fuzz::expect_own_errors([&] { io::open_cells(path); });
  return 0;
}
