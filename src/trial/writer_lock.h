// One writer at a time in a trial folder: flock on lock.lck, and lock.pid made with O_EXCL for folders without flock.
#pragma once

#include <optional>
#include <string>

namespace scvet::trial {

struct WriterId {
  std::string host;
  long pid = 0;
};

class WriterLock {
 public:
  // LockError writer_active while another process writes, or, unless `break_lock`, where one died without cleaning up.
  WriterLock(const std::string& folder, bool break_lock);
  ~WriterLock();
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;
  // The writer that was pushed aside.
  const std::optional<WriterId>& broken() const { return broken_; }

 private:
  std::string pid_path_;
  int fd_ = -1;
  std::optional<WriterId> broken_;
};

}  // namespace scvet::trial
