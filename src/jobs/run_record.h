// What every run.json is made of: identity, machine, process, times, outputs. RunFolder and TaskRun write it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "scvet/jobs/file_digests.h"

namespace scvet::jobs {

std::string utc_time();          // 2026-11-30T09:00:00Z
std::string precise_utc_time();  // 2026-11-30T09:00:00.123456Z

// (path, SHA-256) in the order given.
using FileList = std::vector<std::pair<std::string, std::string>>;
FileList digest_files(const std::vector<std::string>& paths, FileDigests& digests);

// What makes two runs the same work.
struct RunIdentity {
  std::string command;     // "audit", "embed"
  nlohmann::json options;  // all that can change the result
  std::uint64_t seed = 42;
  FileList inputs;
  std::string key() const;  // SHA-256 over version, command, options, seed and input digests
};

// The fields of a run that begins now: version, command, arguments, options, seed, inputs, machine, process, key, status
// "running".
nlohmann::json begin_record(const RunIdentity& identity);

// Whether `record` says that the work `key` ended well and every output it lists, below `folder`, is there unchanged.
bool is_complete(const nlohmann::json& record, const std::string& key, const std::string& folder, FileDigests& digests);

// The text under `name`, or "" where there is none: a record may have been written by another program.
std::string text_field(const nlohmann::json& record, const char* name);

// The object in the file; null where there is none that can be read.
nlohmann::json read_record(const std::string& path);
void write_record(const std::string& path, const nlohmann::json& record);

// Whether the process that wrote `record` on this machine is gone.
bool process_is_gone(const nlohmann::json& record);

}  // namespace scvet::jobs
