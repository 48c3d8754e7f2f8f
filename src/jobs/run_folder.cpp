#include "scvet/jobs/run_folder.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <exception>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "scvet/base/cpu.h"
#include "scvet/base/digest.h"
#include "scvet/base/error.h"
#include "scvet/base/files.h"
#include "scvet/base/log.h"
#include "scvet/base/parallel.h"
#include "scvet/base/progress.h"
#include "scvet/base/version.h"

namespace scvet::jobs {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

std::vector<std::string> g_arguments;

std::string now_text() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
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

}  // namespace

void set_command_line(std::vector<std::string> arguments) { g_arguments = std::move(arguments); }
const std::vector<std::string>& command_line() { return g_arguments; }

struct RunFolder::State {
  std::string folder;
  json record;
  std::vector<std::pair<std::string, std::string>> inputs;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  int exceptions = std::uncaught_exceptions();
  bool finished = false, was_complete = false;

  void write() { write_file(folder + "/run.json", record.dump(2, ' ', false, json::error_handler_t::replace) + "\n"); }
  bool matches_previous() const;
};

// Whether an earlier run.json describes the same work, ended well, with its outputs untouched.
bool RunFolder::State::matches_previous() const {
  const std::string path = folder + "/run.json";
  if (!fs::exists(path)) return false;
  const json before = json::parse(read_file(path), nullptr, false);
  if (!before.is_object() || before.value("status", "") != "ok" || before.value("key", "") != record["key"])
    return false;
  if (!before.contains("outputs") || !before["outputs"].is_object()) return false;
  for (const auto& [name, digest] : before["outputs"].items()) {
    const std::string output = folder + "/" + name;
    if (!digest.is_string() || !fs::exists(output) || sha256_path(output) != digest.get<std::string>()) return false;
  }
  return true;
}

RunFolder::RunFolder(std::string folder, std::string command, std::string options_json, std::uint64_t seed,
                     const std::vector<std::string>& inputs)
    : state_(std::make_unique<State>()) {
  State& state = *state_;
  state.folder = std::move(folder);
  make_folders(state.folder);
  const json options = json::parse(options_json);
  json digests = json::array();
  for (const std::string& path : inputs) {
    state.inputs.emplace_back(path, sha256_path(path));
    digests.push_back({{"path", path}, {"sha256", state.inputs.back().second}});
  }
  json identity = {{"version", version()}, {"command", command}, {"options", options}, {"seed", seed}};
  identity["digests"] = json::array();
  for (const auto& [path, digest] : state.inputs) identity["digests"].push_back(digest);
  state.record = {{"scvet_version", version()},
                  {"command", command},
                  {"arguments", g_arguments},
                  {"options", options},
                  {"seed", seed},
                  {"inputs", digests},
                  {"machine", machine()},
                  {"started", now_text()},
                  {"status", "running"},
                  {"pid", getpid()},
                  {"key", sha256(identity.dump())}};
  state.was_complete = state.matches_previous();
  open_log_file(path("log.txt"));
  log_verbose("scvet " + std::string(version()) + " " + command + " " + options.dump());
  if (!state.was_complete) state.write();
}

RunFolder::~RunFolder() {
  State& state = *state_;
  if (!state.finished && !state.was_complete) {
    const bool stopped = stop_requested();
    state.record["status"] = stopped ? "interrupted" : "failed";
    state.record["finished"] = now_text();
    try {
      state.write();
    } catch (const std::exception&) {
      // The folder itself is gone or full; the error that brought us here is the one to show.
    }
  }
  open_log_file("");
}

const std::string& RunFolder::folder() const { return state_->folder; }
std::string RunFolder::path(const std::string& name) const { return state_->folder + "/" + name; }
const std::vector<std::pair<std::string, std::string>>& RunFolder::inputs() const { return state_->inputs; }
bool RunFolder::complete() const { return state_->was_complete; }

void RunFolder::finish(const std::vector<std::string>& outputs) {
  State& state = *state_;
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - state.start;
  json digests = json::object();
  for (const std::string& name : outputs) digests[name] = sha256_path(path(name));
  state.record["outputs"] = digests;
  state.record["status"] = "ok";
  state.record["finished"] = now_text();
  state.record["seconds"] = elapsed.count();
  state.write();
  state.finished = true;
}

}  // namespace scvet::jobs
