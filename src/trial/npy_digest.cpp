#include "npy_digest.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>

#include "scvet/base/digest.h"
#include "scvet/base/error.h"
#include "scvet/base/files.h"
#include "scvet/base/npy_layout.h"

namespace scvet::trial {

std::string npy_values_sha256(const std::string& path) {
  const MappedFile file(path);
  const std::span<const std::byte> bytes = file.bytes();
  NpyLayout layout;
  try {
    layout = read_npy_layout({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path);
  } catch (const DataError& error) {
    return error.what();
  }
  if (layout.width != sizeof(double) || layout.columns_first)
    return "an array that is not row-major little-endian float64";
  Sha256 digest;
  constexpr std::size_t kBlock = std::size_t{8} << 20;
  for (std::size_t at = layout.offset; at < bytes.size(); at += kBlock) {  // bytes behind the values count, too
    digest.update(bytes.subspan(at, std::min(kBlock, bytes.size() - at)));
    file.forget(at, kBlock);
  }
  return digest.finish();
}

}  // namespace scvet::trial
