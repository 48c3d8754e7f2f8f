// Files that appear whole or not at all, and read-only memory maps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace scvet {

// A name to write to first; commit() renames it to the target, the destructor removes it otherwise.
// The temporary lies in the target's folder, so that the rename is atomic.
class AtomicPath {
 public:
  explicit AtomicPath(std::string target);  // creates missing parent folders
  ~AtomicPath();
  AtomicPath(const AtomicPath&) = delete;
  AtomicPath& operator=(const AtomicPath&) = delete;
  const std::string& temporary() const { return temporary_; }
  const std::string& target() const { return target_; }
  void commit();  // fsync, rename; throws ResourceError

 private:
  std::string target_, temporary_;
  bool done_ = false;
};

// Writes the whole of `bytes` to `path` under a temporary name, then renames.
void write_file(const std::string& path, std::string_view bytes);

// The whole file. Throws DataError naming it when it is missing or unreadable.
std::string read_file(const std::string& path);

void make_folders(const std::string& path);

// A file mapped read-only. Throws DataError when missing.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  std::span<const std::byte> bytes() const { return {data_, size_}; }
  const std::string& path() const { return path_; }
  // Tells the kernel that these bytes are no longer needed, so that a large store streams in little memory.
  void forget(std::size_t offset, std::size_t length) const;

 private:
  std::string path_;
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace scvet
