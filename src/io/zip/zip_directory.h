// The directory at the end of a zip archive (APPNOTE.TXT 4.3.12 to 4.3.16), with the 64-bit fields of zip64.
#pragma once

#include <bit>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "zip/zip_file.h"

namespace scvet::io {

struct ZipDirectory {
  std::vector<ZipMember> entries;  // in the directory's order
  std::uint64_t offset = 0;        // where it starts in the file
};
ZipDirectory read_zip_directory(const FileBytes& file);

// True for names that would be written outside the folder that the archive is unpacked into.
bool leads_out(const std::string& name);

// The number at `offset`, which the caller knows to lie inside.
template <typename T>
T read_little_endian(std::span<const std::byte> bytes, std::size_t offset) {
  static_assert(std::endian::native == std::endian::little);
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

}  // namespace scvet::io
