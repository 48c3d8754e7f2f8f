#include "npy_digest.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>

#include "scvet/base/digest.h"
#include "scvet/base/files.h"

namespace scvet::trial {

// NEP 1: "\x93NUMPY", version, header length (2 bytes in version 1, else 4), header, values.
std::string npy_values_sha256(const std::string& path) {
  const MappedFile file(path);
  const std::span<const std::byte> bytes = file.bytes();
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!text.starts_with("\x93NUMPY") || text.size() < 12) return "a file that is not a .npy array";
  const auto byte = [&](std::size_t at) { return static_cast<std::size_t>(static_cast<unsigned char>(text[at])); };
  const bool first_version = byte(6) == 1;
  std::size_t length = byte(8) | byte(9) << 8;
  if (!first_version) length |= byte(10) << 16 | byte(11) << 24;
  const std::size_t start = (first_version ? 10 : 12) + length;
  if (start > text.size()) return "a .npy file that is cut short";
  const std::string_view header = text.substr(first_version ? 10 : 12, length);
  if (header.find("'<f8'") == std::string_view::npos || header.find("'fortran_order': False") == std::string_view::npos)
    return "an array that is not row-major little-endian float64";
  Sha256 digest;
  constexpr std::size_t kBlock = std::size_t{8} << 20;
  for (std::size_t at = start; at < bytes.size(); at += kBlock) {
    digest.update(bytes.subspan(at, std::min(kBlock, bytes.size() - at)));
    file.forget(at, kBlock);
  }
  return digest.finish();
}

}  // namespace scvet::trial
