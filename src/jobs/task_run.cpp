#include "scvet/jobs/task_run.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>

#include "run_record.h"
#include "scvet/base/digest.h"
#include "scvet/base/error.h"
#include "scvet/base/files.h"
#include "scvet/base/log.h"
#include "scvet/base/progress.h"
#include "scvet/base/text.h"
#include "scvet/base/version.h"
#include "scvet/jobs/run_folder.h"
#include "task_names.h"

namespace scvet::jobs {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

// A request made ready: its key and its folder.
struct Planned {
  const TaskRequest* request = nullptr;
  std::string input, folder;
  bool resumed = false;
};

std::string below(const std::string& path, const std::string& folder) {
  const fs::path place = fs::absolute(path).lexically_normal();
  const fs::path relative = place.lexically_relative(fs::absolute(folder).lexically_normal());
  return relative.empty() || relative.string().starts_with("..") ? place.string() : relative.string();
}

// Everything that makes the outputs what and where they are. Names of files count, as outputs are named after them.
std::string work_key(const RunIdentity& identity, const TaskPlaces& places) {
  json whole = {{"identity", identity.key()}, {"names", json::array()}};
  whole["results"] = places.workspace.found() ? below(places.results, places.workspace.root) : "";
  for (const auto& [path, digest] : identity.inputs) whole["names"].push_back(base_name(path));
  return sha256(whole.dump());
}

class Run : public TaskRun {
 public:
  Run(const TaskOptions& options, const TaskPlaces& places, const Planned& planned, FileDigests& digests)
      : options_(options), places_(places), planned_(planned), digests_(digests) {
    const TaskRequest& request = *planned.request;
    inputs_ = digest_files(request.files, digests);
    identity_ = {request.task + " " + request.method, json::parse(request.options), request.seed, inputs_};
    key_ = work_key(identity_, places);
  }

  const std::string& folder() const override { return planned_.folder; }
  const TaskPlaces& places() const override { return places_; }
  const FileList& inputs() const override { return inputs_; }
  void add_output(const std::string& path) override { outputs_.push_back(path); }
  void add_fact(const std::string& name, const std::string& text) override {
    record_["facts"][name] = json::parse(text);
  }
  void add_text_fact(const std::string& name, const std::string& text) override { record_["facts"][name] = text; }

  // The folder of the run that made these outputs, where they are complete and unchanged.
  std::optional<std::string> earlier() const;
  void begin();
  void finish();
  void fail(const char* status, int exit_code, const std::string& message);

 private:
  std::string pointer() const { return places_.runs + "/.complete/" + key_ + ".json"; }
  std::string record_path() const { return folder() + "/run.json"; }
  void end(const char* status, int exit_code);

  const TaskOptions& options_;
  const TaskPlaces& places_;
  const Planned& planned_;
  FileDigests& digests_;
  FileList inputs_;
  RunIdentity identity_;
  std::string key_;
  json record_;
  bool begun_ = false;
  std::vector<std::string> outputs_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

std::optional<std::string> Run::earlier() const {
  const std::string run = text_field(read_record(pointer()), "run");
  if (run.empty()) return std::nullopt;
  const std::string folder = places_.runs + "/" + run;
  if (!is_complete(read_record(folder + "/run.json"), key_, places_.results, digests_)) return std::nullopt;
  return folder;
}

void Run::begin() {
  const TaskRequest& request = *planned_.request;
  make_folders(folder());
  record_ = begin_record(identity_);
  record_["key"] = key_;
  record_["command"] = request.task;
  record_["started"] = precise_utc_time();
  // The fields that scripts over the peer's records read.
  record_["task"] = request.task;
  record_["method"] = request.method;
  record_["input"] = planned_.input;
  record_["workspace"] = places_.workspace.found() ? json(places_.workspace.root) : json(nullptr);
  record_["pipeline"] = std::string("scvet ") + version();
  record_["run_dir"] = fs::absolute(folder()).lexically_normal().string();
  record_["resumed"] = planned_.resumed;
  record_["finished"] = nullptr;
  record_["exit_code"] = nullptr;
  record_["scfoundry_version"] = nullptr;
  record_["nextflow"] = nullptr;
  record_["results"] = fs::absolute(places_.results).lexically_normal().string();
  write_file(folder() + "/params.json", task_parameters(options_, places_, request).dump(2) + "\n");
  write_file(folder() + "/command.sh", command_script(command_line()));
  fs::permissions(folder() + "/command.sh", fs::perms::owner_exec, fs::perm_options::add);
  open_log_file(folder() + "/log.txt");
  log_verbose(std::string("scvet ") + version() + " " + join(command_line(), " "));
  write_record(record_path(), record_);
  begun_ = true;
}

void Run::end(const char* status, int exit_code) {
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  record_["status"] = status;
  record_["exit_code"] = exit_code;
  record_["finished"] = precise_utc_time();
  record_["seconds"] = elapsed.count();
  write_record(record_path(), record_);
  open_log_file("");
}

void Run::finish() {
  json outputs = json::object();
  for (const std::string& path : outputs_) outputs[below(path, places_.results)] = digests_.digest(path);
  record_["outputs"] = outputs;
  end("ok", 0);
  const fs::path run(folder());
  write_file(pointer(), json{{"run", (run.parent_path().filename() / run.filename()).string()}}.dump() + "\n");
}

void Run::fail(const char* status, int exit_code, const std::string& message) {
  if (!begun_) return;
  log_verbose(message);
  record_["message"] = message;
  try {
    end(status, exit_code);
  } catch (const std::exception&) {
    open_log_file("");  // the folder is gone or full; the error that brought us here is the one to show
  }
}

TaskOutcome run_one(const TaskOptions& options, const TaskPlaces& places, const Planned& planned, FileDigests& digests,
                    const std::function<void(TaskRun&)>& work) {
  const TaskRequest& request = *planned.request;
  TaskOutcome outcome{request.task, request.method, planned.input, "ok", planned.folder};
  const auto start = std::chrono::steady_clock::now();
  std::optional<Run> run;
  const auto failed = [&](int exit_code, const std::string& message) {
    outcome.status = "failed";
    outcome.exit_code = exit_code;
    outcome.message = message;
    if (run) run->fail("failed", exit_code, message);
  };
  try {
    run.emplace(options, places, planned, digests);
    if (!options.force) {
      if (const auto earlier = run->earlier()) {
        outcome.status = "unchanged";
        outcome.folder = *earlier;
        return outcome;
      }
    }
    run->begin();
    work(*run);
    throw_if_stopped();
    run->finish();
  } catch (const Interrupted& error) {
    if (run) run->fail("interrupted", error.exit_code(), error.what());
    throw;
  } catch (const Error& error) {
    failed(error.exit_code(), error.what());
  } catch (const std::bad_alloc&) {
    failed(ResourceError("").exit_code(), "out of memory; use a machine with more, or a smaller file");
  } catch (const std::exception& error) {
    failed(InternalError("").exit_code(), std::string("internal fault: ") + error.what());
  }
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return outcome;
}

// The folder of an earlier run, for --resume.
std::string resumed_folder(const TaskOptions& options, const TaskPlaces& places, const TaskRequest& request,
                           const std::string& input) {
  if (!options.resume_run.empty()) {
    std::string folder = places.runs + "/" + request.task + "/" + base_name(options.resume_run);
    if (fs::exists(folder + "/run.json")) return folder;
    throw UsageError("--resume " + options.resume_run + ": no such run of task " + request.task + " in " + places.runs +
                         " ('scvet runs' lists them)",
                     {.field = "--resume", .reason = "no_run"});
  }
  for (const RunSummary& run : list_runs(places.runs, request.task, 0))
    if (run.method == request.method && run.input == input) return run.folder;
  throw UsageError("--resume: no earlier run of task " + request.task + " with method " + request.method +
                       " and input " + input + " in " + places.runs + " ('scvet runs' lists them)",
                   {.field = "--resume", .reason = "no_run"});
}

Planned plan(const TaskOptions& options, const TaskPlaces& places, const TaskRequest& request, bool several) {
  Planned planned{&request, clean_input(request.input), "", options.resume};
  const std::string parent = places.runs + "/" + request.task + "/";
  if (options.resume) {
    planned.folder = resumed_folder(options, places, request, planned.input);
  } else if (!options.run_name.empty()) {
    const std::string name = required_name(options.run_name) + (several ? "_" + planned.input : "");
    planned.folder = parent + name;
    if (fs::exists(planned.folder))
      throw UsageError("--run-name " + name + ": " + planned.folder +
                           " exists already; choose another name, or go on "
                           "with --resume " +
                           name,
                       {.file = planned.folder, .field = "--run-name", .reason = "exists"});
  }
  return planned;
}

std::string plan_text(const TaskOptions& options, const TaskPlaces& places, const TaskRequest& request) {
  return "parameters: " + task_parameters(options, places, request).dump(2) + "\ncommand: scvet " +
         join(command_line(), " ");
}

}  // namespace

std::vector<TaskOutcome> run_tasks(const TaskOptions& options, const TaskPlaces& places,
                                   const std::vector<TaskRequest>& requests, const TaskWork& work) {
  const bool several = requests.size() > 1;
  if (several && !options.resume_run.empty())
    throw UsageError("--resume " + options.resume_run + " names one run, but there are " +
                         std::to_string(requests.size()) + " inputs; pass one of them, or --resume without a name",
                     {.field = "--resume"});
  std::vector<Planned> planned;
  for (const TaskRequest& request : requests) planned.push_back(plan(options, places, request, several));
  FileDigests digests(places.digests);
  std::vector<TaskOutcome> outcomes;
  for (std::size_t index = 0; index < requests.size(); ++index) {
    const TaskRequest& request = requests[index];
    // Named when it starts, so that the names of one command's runs follow the clock.
    if (planned[index].folder.empty())
      planned[index].folder = new_run_folder(places.runs, request, planned[index].input);
    if (options.dry_run) {
      outcomes.push_back({request.task, request.method, planned[index].input, "planned", planned[index].folder,
                          plan_text(options, places, request)});
      continue;
    }
    outcomes.push_back(run_one(options, places, planned[index], digests, [&](TaskRun& run) { work(index, run); }));
    if (several && outcomes.back().status == "failed")
      log_error(outcomes.back().input + ": " + outcomes.back().message);
  }
  return outcomes;
}

void throw_failures(const std::vector<TaskOutcome>& outcomes) {
  std::vector<std::string> failed;
  int worst = 0;
  for (const TaskOutcome& outcome : outcomes) {
    if (outcome.status != "failed") continue;
    failed.push_back(outcome.input + " (" + split(outcome.message, '\n').front() + ")");
    worst = std::max(worst, outcome.exit_code);
  }
  if (failed.empty()) return;
  if (outcomes.size() == 1) throw Error(outcomes.front().message, {}, worst);
  throw Error(std::to_string(failed.size()) + " of " + std::to_string(outcomes.size()) +
                  " runs failed, the others are done: " + join(failed, "; "),
              {}, worst);
}

}  // namespace scvet::jobs
