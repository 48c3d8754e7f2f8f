// Zip archives: every member whole and in parts, and as a table of text.
#include <algorithm>
#include <cstdlib>

#include "forked.h"
#include "scvet/io/text_table.h"
#include "temporary_file.h"
#include "zip/zip_file.h"

namespace {

constexpr std::uint64_t kMost = 16 << 20;

void read_members(const std::string& path) {
  using namespace scvet;
  const io::ZipFile zip(path);
  for (const auto& entry : zip.members())
    fuzz::expect_own_errors([&zip, &member = entry.second] {
      const std::vector<std::byte> whole = zip.read(member, kMost);
      if (whole.size() != member.bytes) std::abort();
      const std::size_t from = whole.size() / 3, count = (whole.size() - from) / 2;
      const std::vector<std::byte> part = zip.read_range(member, from, count);
      if (!std::equal(part.begin(), part.end(), whole.begin() + static_cast<std::ptrdiff_t>(from))) std::abort();
    });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace scvet;
  static const fuzz::TemporaryFolder folder;
  const std::string path = folder.put("input.zip", data, size);
  io::describe_zip(path);           // promises not to throw
  io::looks_like_text_table(path);  // so does this
  fuzz::expect_own_errors([&] { read_members(path); });
  fuzz::expect_own_errors([&] { io::read_text_table(path); });
  return 0;
}
