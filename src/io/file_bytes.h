// A file's bytes at any place; several threads may read at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace scvet::io {

class FileBytes {
 public:
  explicit FileBytes(const std::string& path);  // DataError when missing, unreadable or no plain file
  ~FileBytes();
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;
  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }  // on opening
  // All of `out` from `offset` on; DataError when the file ends before.
  void read(std::uint64_t offset, std::span<std::byte> out) const;

 private:
  std::string path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace scvet::io
