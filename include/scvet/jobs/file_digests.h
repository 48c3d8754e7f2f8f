// SHA-256 of files, each read once: kept for the process, and in a cache folder for later ones.
#pragma once

#include <map>
#include <mutex>
#include <string>

namespace scvet::jobs {

// A kept digest holds for one path, size and time of change (in nanoseconds). A file that changed within the last two
// seconds is read again by the next process, since a second change could leave the same time.
class FileDigests {
 public:
  // `folder` "": nothing is kept beyond the process.
  explicit FileDigests(std::string folder = {}) : folder_(std::move(folder)) {}
  // Folders are digested anew each time. DataError when the path cannot be read.
  std::string digest(const std::string& path);

 private:
  std::string folder_;
  std::mutex mutex_;
  std::map<std::string, std::string> known_;  // by path, size and time
};

}  // namespace scvet::jobs
