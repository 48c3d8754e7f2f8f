#include "scvet/jobs/file_digests.h"

#include <sys/stat.h>

#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "run_record.h"
#include "scvet/base/digest.h"
#include "scvet/base/error.h"
#include "scvet/base/files.h"
#include "scvet/base/log.h"

namespace scvet::jobs {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr std::time_t kSettled = 2;  // seconds

std::string recall(const std::string& entry, const std::string& stamp) {
  if (!fs::exists(entry)) return "";
  const json kept = json::parse(read_file(entry), nullptr, false);
  return text_field(kept, "file") == stamp ? text_field(kept, "sha256") : "";
}

void keep(const std::string& entry, const std::string& stamp, const std::string& digest) {
  try {
    write_file(entry, json{{"file", stamp}, {"sha256", digest}}.dump() + "\n");
  } catch (const Error& error) {
    log_verbose(std::string("digest not kept: ") + error.what());  // a read-only cache costs time, nothing else
  }
}

}  // namespace

std::string FileDigests::digest(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return sha256_path(path);
  const std::string place = fs::absolute(path).lexically_normal().string();
  const std::string stamp = place + "|" + std::to_string(info.st_size) + "|" + std::to_string(info.st_mtim.tv_sec) +
                            "." + std::to_string(info.st_mtim.tv_nsec);
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = known_.find(stamp); known != known_.end()) return known->second;
  }
  const std::string entry = folder_.empty() ? "" : folder_ + "/" + sha256(place) + ".json";
  std::string digest = entry.empty() ? "" : recall(entry, stamp);
  if (digest.empty()) {
    digest = sha256_path(path);
    if (!entry.empty() && std::time(nullptr) - info.st_mtim.tv_sec > kSettled) keep(entry, stamp, digest);
  }
  const std::lock_guard lock(mutex_);
  known_[stamp] = digest;
  return digest;
}

}  // namespace scvet::jobs
