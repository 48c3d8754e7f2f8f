#include "file_bytes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "scvet/base/error.h"
#include "scvet/base/text.h"

namespace scvet::io {

FileBytes::FileBytes(const std::string& path) : path_(path) {
  // Without O_NONBLOCK a named pipe would wait for a writer.
  descriptor_ = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat info {};
  const bool opened = descriptor_ >= 0 && fstat(descriptor_, &info) == 0;
  const std::string why = opened ? "it is no plain file" : std::strerror(errno);
  if (opened && S_ISREG(info.st_mode)) {
    size_ = static_cast<std::uint64_t>(info.st_size);
    return;
  }
  if (descriptor_ >= 0) close(descriptor_);
  throw DataError("cannot read " + path + ": " + why, {.file = path, .reason = opened ? "unreadable" : "missing"});
}

FileBytes::~FileBytes() { close(descriptor_); }

void FileBytes::read(std::uint64_t offset, std::span<std::byte> out) const {
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t got = pread(descriptor_, out.data() + done, std::min<std::size_t>(out.size() - done, 1u << 30),
                              static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      throw DataError("cannot read " + path_ + ": " + std::strerror(errno) +
                          "; the storage is the likely cause: copy the file to a local disk",
                      {.file = path_, .reason = "storage"});
    if (got == 0)
      throw DataError(path_ + " ends after " + format_count(static_cast<std::int64_t>(offset + done)) +
                          " bytes, where more are needed: it is cut short, or shrank while it was read; copy it again",
                      {.file = path_, .reason = "truncated"});
    done += static_cast<std::size_t>(got);
  }
}

}  // namespace scvet::io
