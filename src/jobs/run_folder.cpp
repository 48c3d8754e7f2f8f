#include "scvet/jobs/run_folder.h"

#include <chrono>
#include <exception>

#include "run_record.h"
#include "scvet/base/files.h"
#include "scvet/base/log.h"
#include "scvet/base/progress.h"
#include "scvet/base/version.h"

namespace scvet::jobs {
namespace {

using nlohmann::json;

std::vector<std::string> g_arguments;

}  // namespace

void set_command_line(std::vector<std::string> arguments) { g_arguments = std::move(arguments); }
const std::vector<std::string>& command_line() { return g_arguments; }

struct RunFolder::State {
  std::string folder;
  json record;
  FileList inputs;
  FileDigests digests;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  bool finished = false, was_complete = false;

  std::string record_path() const { return folder + "/run.json"; }
};

RunFolder::RunFolder(std::string folder, std::string command, std::string options_json, std::uint64_t seed,
                     const std::vector<std::string>& inputs)
    : state_(std::make_unique<State>()) {
  State& state = *state_;
  state.folder = std::move(folder);
  make_folders(state.folder);
  state.inputs = digest_files(inputs, state.digests);
  const RunIdentity identity{command, json::parse(options_json), seed, state.inputs};
  state.record = begin_record(identity);
  state.was_complete = is_complete(read_record(state.record_path()), identity.key(), state.folder, state.digests);
  open_log_file(path("log.txt"));
  log_verbose("scvet " + std::string(version()) + " " + command + " " + identity.options.dump());
  if (!state.was_complete) write_record(state.record_path(), state.record);
}

RunFolder::~RunFolder() {
  State& state = *state_;
  if (!state.finished && !state.was_complete) {
    state.record["status"] = stop_requested() ? "interrupted" : "failed";
    state.record["finished"] = utc_time();
    try {
      write_record(state.record_path(), state.record);
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
  for (const auto& name : outputs) digests[name] = state.digests.digest(path(name));
  state.record["outputs"] = digests;
  state.record["status"] = "ok";
  state.record["finished"] = utc_time();
  state.record["seconds"] = elapsed.count();
  write_record(state.record_path(), state.record);
  state.finished = true;
}

}  // namespace scvet::jobs
