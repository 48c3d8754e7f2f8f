// Zip archives, read by their directory at the end. Of names that occur more than once the last entry counts, as when
// the archive is unpacked. Nothing is believed: entries that overlap, claim more than their bytes can hold, are
// encrypted, or whose names lead out of the archive are refused by name.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "file_bytes.h"
#include "scvet/base/error.h"
#include "scvet/base/text_file.h"

namespace scvet::io {

struct ZipMember {
  std::string name;
  std::uint64_t offset = 0;             // of its own header
  std::uint64_t stored = 0, bytes = 0;  // in the archive, and unpacked
  std::uint32_t checksum = 0;
  std::uint16_t method = 0;
  bool encrypted = false;
};

class ZipFile {
 public:
  explicit ZipFile(const std::string& path);
  const std::string& path() const { return file_->path(); }
  std::uint64_t file_bytes() const { return file_->size(); }
  // Files, by name; entries that only name a folder are left out.
  const std::map<std::string, ZipMember>& members() const { return members_; }
  const ZipMember* find(const std::string& name) const;

  // The whole member, its checksum compared. DataError when it is more than `most` bytes.
  std::vector<std::byte> read(const ZipMember& member, std::uint64_t most) const;
  // `count` bytes from `offset` on; of a compressed member all before them is unpacked too.
  std::vector<std::byte> read_range(const ZipMember& member, std::uint64_t offset, std::uint64_t count) const;
  // The member from its start to its end, in little memory; lives no longer than this object's file.
  std::unique_ptr<ByteSource> stream(const ZipMember& member) const;

 private:
  DataError error(const std::string& member, const std::string& what, const char* reason) const;
  void refuse_overlaps(std::vector<ZipMember> all, std::uint64_t directory) const;
  std::uint64_t data_offset(const ZipMember& member) const;

  std::shared_ptr<const FileBytes> file_;
  std::map<std::string, ZipMember> members_;
};

// True when the file starts as a zip archive does; never throws.
bool is_zip(const std::string& path);

// "it is a zip archive that holds a.csv, b.csv, ...", or what is wrong with it.
std::string describe_zip(const std::string& path);

}  // namespace scvet::io
