#include "scvet/base/files.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "scvet/base/error.h"

namespace scvet {
namespace fs = std::filesystem;

namespace {
std::string reason() { return std::strerror(errno); }

// fsync of a file or folder, so that a rename survives a power cut. Folders may refuse it on some file systems.
void sync_path(const std::string& path, bool folder) {
  const int fd = open(path.c_str(), folder ? O_RDONLY | O_DIRECTORY : O_RDONLY);
  if (fd < 0) return;
  fsync(fd);
  close(fd);
}
}  // namespace

void make_folders(const std::string& path) {
  std::error_code error;
  if (!path.empty()) fs::create_directories(path, error);
  if (error) throw ResourceError("cannot create folder " + path + ": " + error.message(), {.file = path});
}

AtomicPath::AtomicPath(std::string target) : target_(std::move(target)) {
  static std::atomic<unsigned> counter{0};
  const fs::path path(target_);
  make_folders(path.parent_path().string());
  const std::string name =
      "." + path.filename().string() + ".part-" + std::to_string(getpid()) + "-" + std::to_string(counter++);
  temporary_ = (path.parent_path() / name).string();
}

AtomicPath::~AtomicPath() {
  if (done_) return;
  std::error_code ignored;
  fs::remove_all(temporary_, ignored);
}

void AtomicPath::commit() {
  sync_path(temporary_, false);
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0)
    throw ResourceError("cannot write " + target_ + ": " + reason(), {.file = target_});
  const std::string folder = fs::path(target_).parent_path().string();
  sync_path(folder.empty() ? "." : folder, true);
  done_ = true;
}

void write_file(const std::string& path, std::string_view bytes) {
  AtomicPath atomic(path);
  std::FILE* file = std::fopen(atomic.temporary().c_str(), "wb");
  if (!file) throw ResourceError("cannot write " + path + ": " + reason(), {.file = path});
  const bool wrote = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  const bool closed = std::fclose(file) == 0;
  if (!wrote || !closed) throw ResourceError("cannot write " + path + ": " + reason(), {.file = path});
  atomic.commit();
}

std::string read_file(const std::string& path) {
  std::FILE* file = fs::is_directory(path) ? nullptr : std::fopen(path.c_str(), "rb");
  if (!file) throw DataError("cannot read " + path + ": no such file, or no permission", {.file = path});
  std::string bytes;
  char buffer[1 << 16];
  std::size_t got;
  while ((got = std::fread(buffer, 1, sizeof buffer, file)) > 0) bytes.append(buffer, got);
  const bool failed = std::ferror(file) != 0;
  std::fclose(file);
  if (failed) throw DataError("reading " + path + " failed half-way: the storage is the likely cause", {.file = path});
  return bytes;
}

MappedFile::MappedFile(const std::string& path) : path_(path) {
  const int fd = open(path.c_str(), O_RDONLY);
  struct stat info {};
  if (fd < 0 || fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    if (fd >= 0) close(fd);
    throw DataError("cannot read " + path + ": no such file, or no permission", {.file = path});
  }
  size_ = static_cast<std::size_t>(info.st_size);
  if (size_ > 0) {
    void* mapped = mmap(nullptr, size_, PROT_READ, MAP_SHARED, fd, 0);
    if (mapped == MAP_FAILED) {
      close(fd);
      throw ResourceError("cannot map " + path + " into memory: " + reason(), {.file = path});
    }
    data_ = static_cast<const std::byte*>(mapped);
  }
  close(fd);
}

MappedFile::~MappedFile() {
  if (data_) munmap(const_cast<std::byte*>(data_), size_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)), data_(other.data_), size_(other.size_) {
  other.data_ = nullptr;
  other.size_ = 0;
}

void MappedFile::forget(std::size_t offset, std::size_t length) const {
  const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t first = (offset + page - 1) / page * page;
  const std::size_t last = (offset + length) / page * page;
  if (data_ && first < last && last <= size_)
    madvise(const_cast<std::byte*>(data_) + first, last - first, MADV_DONTNEED);
}

}  // namespace scvet
