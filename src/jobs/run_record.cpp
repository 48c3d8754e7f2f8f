#include "run_record.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "scvet/base/cpu.h"
#include "scvet/base/digest.h"
#include "scvet/base/files.h"
#include "scvet/base/parallel.h"
#include "scvet/base/text.h"
#include "scvet/base/version.h"
#include "scvet/jobs/run_folder.h"

namespace scvet::jobs {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

std::string host() {
  utsname name{};
  uname(&name);
  return name.nodename;
}

json machine() {
  utsname name{};
  uname(&name);
  return {{"cpu", cpu_model()},
          {"simd", simd_name(simd_target())},
          {"threads", workers()},
          {"system", std::string(name.sysname) + " " + name.release},
          {"host", name.nodename}};
}

// When the process started, in ticks since the machine did: field 22 of /proc/PID/stat, behind the name in parentheses.
std::string process_start(std::int64_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  if (!std::getline(file, line)) return "";
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string::npos) return "";
  const std::vector<std::string> fields = split(line.substr(name_end + 2), ' ');
  constexpr std::size_t kStart = 22 - 3;
  return fields.size() > kStart ? fields[kStart] : "";
}

// Changes with every start of the machine.
std::string boot() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string line;
  std::getline(file, line);
  return line;
}

}  // namespace

std::string utc_time() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

std::string precise_utc_time() {
  using namespace std::chrono;
  const auto now = system_clock::now().time_since_epoch();
  const std::time_t whole = duration_cast<seconds>(now).count();
  std::tm parts{};
  gmtime_r(&whole, &parts);
  char text[32], precise[48];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  std::snprintf(precise, sizeof precise, "%s.%06dZ", text,
                static_cast<int>(duration_cast<microseconds>(now).count() % 1000000));
  return precise;
}

FileList digest_files(const std::vector<std::string>& paths, FileDigests& digests) {
  FileList files;
  for (const std::string& path : paths) files.emplace_back(path, digests.digest(path));
  return files;
}

std::string RunIdentity::key() const {
  json identity = {{"version", version()}, {"command", command}, {"options", options}, {"seed", seed}};
  identity["digests"] = json::array();
  for (const auto& [path, digest] : inputs) identity["digests"].push_back(digest);
  return sha256(identity.dump());
}

json begin_record(const RunIdentity& identity) {
  json files = json::array();
  for (const auto& [path, digest] : identity.inputs) files.push_back({{"path", path}, {"sha256", digest}});
  return {{"scvet_version", version()},
          {"command", identity.command},
          {"arguments", command_line()},
          {"options", identity.options},
          {"seed", identity.seed},
          {"inputs", files},
          {"machine", machine()},
          {"started", utc_time()},
          {"status", "running"},
          {"pid", getpid()},
          {"process", {{"pid", getpid()}, {"start", process_start(getpid())}, {"boot", boot()}, {"host", host()}}},
          {"key", identity.key()}};
}

std::string text_field(const json& record, const char* name) {
  const auto field = record.is_object() ? record.find(name) : record.end();
  return field != record.end() && field->is_string() ? field->get<std::string>() : "";
}

bool is_complete(const json& record, const std::string& key, const std::string& folder, FileDigests& digests) {
  if (text_field(record, "status") != "ok" || text_field(record, "key") != key) return false;
  if (!record.contains("outputs") || !record["outputs"].is_object()) return false;
  for (const auto& [name, digest] : record["outputs"].items()) {
    const std::string output = (fs::path(folder) / name).string();  // an absolute name stands for itself
    if (!digest.is_string() || !fs::exists(output) || digests.digest(output) != digest.get<std::string>()) return false;
  }
  return true;
}

json read_record(const std::string& path) {
  if (!fs::exists(path)) return nullptr;
  json record = json::parse(read_file(path), nullptr, false);
  return record.is_object() ? record : json(nullptr);
}

void write_record(const std::string& path, const json& record) {
  write_file(path, record.dump(2, ' ', false, json::error_handler_t::replace) + "\n");
}

bool process_is_gone(const json& record) {
  const auto process = record.find("process");
  if (process == record.end() || !process->is_object()) return false;
  if (text_field(*process, "host") != host()) return false;  // another machine of a cluster: not ours to judge
  if (text_field(*process, "boot") != boot()) return true;
  const auto pid = process->find("pid");
  if (pid == process->end() || !pid->is_number_integer()) return false;
  return process_start(pid->get<std::int64_t>()) != text_field(*process, "start");
}

}  // namespace scvet::jobs
