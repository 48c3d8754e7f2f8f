#include "writer_lock.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "canonical_json.h"
#include "refuse.h"
#include "scvet/base/files.h"

namespace scvet::trial {
namespace {

std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "unknown";
}

// An empty or broken file: the writer died while it wrote it.
WriterId read_writer(const std::string& path) {
  try {
    const Json value = read_canonical(read_file(path), path);
    Fields fields(value, path);
    return {fields.text("host"), static_cast<long>(fields.integer("pid"))};
  } catch (const Error&) {
    return {"an unknown host", 0};
  }
}

std::string described(const WriterId& writer) { return "process " + std::to_string(writer.pid) + " on " + writer.host; }

bool runs_here(const WriterId& writer) {
  return writer.pid > 0 && writer.host == host_name() &&
         (kill(static_cast<pid_t>(writer.pid), 0) == 0 || errno == EPERM);
}

void write_all(int fd, const std::string& text, const std::string& path) {
  if (write(fd, text.data(), text.size()) != static_cast<ssize_t>(text.size()) || fsync(fd) != 0) {
    close(fd);
    throw ResourceError("cannot write " + path + ": " + std::strerror(errno), {.file = path});
  }
  close(fd);
}

}  // namespace

WriterLock::WriterLock(const std::string& folder, bool break_lock) : pid_path_(folder + "/lock.pid") {
  const std::string path = folder + "/lock.lck";
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) throw ResourceError("cannot write " + path + ": " + std::strerror(errno), {.file = path});
  const bool locked = flock(fd, LOCK_EX | LOCK_NB) == 0;
  try {
    if (!locked && errno == EWOULDBLOCK)
      refuse("writer_active",
             folder + " is being written by " + described(read_writer(pid_path_)) + "; wait until it ends", path);
    int pid_fd = open(pid_path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (pid_fd < 0 && errno == EEXIST) {
      const WriterId writer = read_writer(pid_path_);
      const bool runs = !locked && runs_here(writer);
      if (runs || !break_lock)
        refuse("writer_active",
               pid_path_ + " says that " + described(writer) + " writes here" +
                   (runs ? "; wait until it ends"
                         : "; if that process has died, pass --break-lock, which the ledger will record"),
               pid_path_);
      broken_ = writer;
      unlink(pid_path_.c_str());
      pid_fd = open(pid_path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    }
    if (pid_fd < 0) throw ResourceError("cannot write " + pid_path_ + ": " + std::strerror(errno), {.file = pid_path_});
    write_all(pid_fd, canonical({{"host", host_name()}, {"pid", getpid()}}), pid_path_);
  } catch (...) {
    close(fd);
    throw;
  }
  fd_ = fd;
}

WriterLock::~WriterLock() {
  unlink(pid_path_.c_str());
  close(fd_);
}

}  // namespace scvet::trial
