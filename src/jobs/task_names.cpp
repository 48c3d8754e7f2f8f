#include "task_names.h"

#include <ctime>
#include <filesystem>

#include "child_process.h"
#include "scvet/base/error.h"
#include "scvet/base/log.h"
#include "scvet/base/text.h"
#include "scvet/base/version.h"
#include "scvet/jobs/paths.h"

namespace scvet::jobs {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

// Local time, as people look at folders with a clock beside them.
std::string folder_time() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y%m%d-%H%M%S", &parts);
  return text;
}

}  // namespace

TaskPlaces task_places(const TaskOptions& options) {
  TaskPlaces places;
  places.workspace = find_workspace(options.workspace);
  const bool inside = places.workspace.found();
  const auto choose = [&](const std::string& given, const char* in_workspace, const std::string& outside) {
    return !given.empty() ? given : inside ? places.workspace.place(in_workspace) : outside;
  };
  places.results = choose(options.outdir, "results", "results");
  places.weights = choose(options.weights_dir, "data/model_weights", "data/model_weights");
  places.cache = choose(options.cache_dir, "cache", places.results + "/cache");
  places.runs = inside ? places.workspace.place("runs") : places.results + "/runs";
  if (inside || !options.cache_dir.empty()) places.digests = places.cache + "/digests";
  return places;
}

void check_gpu(const TaskOptions& options, bool uses_gpu) {
  if (!uses_gpu || (options.gpu.empty() && !options.require_gpu)) return;
  if (options.require_gpu)
    throw ResourceError(
        "--require-gpu: this version of scvet computes on processors only; leave the flag out to run "
        "there",
        {.field = "--require-gpu", .reason = "no_gpu"});
  log_warning("--gpu " + options.gpu + ": no CUDA in this version; the processors are used");
}

std::string clean_input(const std::string& path) {
  const fs::path place(path);
  const std::string name = place.has_filename() ? place.filename().string() : place.parent_path().filename().string();
  const std::string clean = clean_name(name);
  return clean.empty() ? "input" : clean;
}

std::string required_name(const std::string& run_name) {
  std::string clean = clean_name(run_name);
  if (clean.empty())
    throw UsageError("--run-name '" + run_name +
                         "': nothing is left of it once characters outside A-Z a-z 0-9 _ . - "
                         "are taken out",
                     {.field = "--run-name"});
  return clean;
}

std::string new_run_folder(const std::string& runs, const TaskRequest& request, const std::string& input) {
  const std::string method = clean_name(request.method);
  const std::string base = runs + "/" + request.task + "/" + folder_time() + "_" + method + "_" + input;
  std::string folder = base;
  for (int copy = 2; fs::exists(folder); ++copy) folder = base + "-" + std::to_string(copy);
  return folder;
}

json task_parameters(const TaskOptions& options, const TaskPlaces& places, const TaskRequest& request) {
  json parameters = {{"task", request.task},
                     {"method", request.method},
                     {"input", request.input},
                     {"files", request.files},
                     {"options", json::parse(request.options)},
                     {"seed", request.seed},
                     {"outdir", places.results},
                     {"weights_dir", places.weights},
                     {"cache_dir", places.cache},
                     {"gpu", options.gpu},
                     {"require_gpu", options.require_gpu},
                     {"force", options.force}};
  parameters["workspace"] = places.workspace.found() ? json(places.workspace.root) : json(nullptr);
  if (!options.config.empty()) parameters["config"] = options.config;
  if (!options.profile.empty()) parameters["profile"] = options.profile;
  if (!options.nextflow.empty()) parameters["nextflow"] = options.nextflow;
  if (!options.engine_arguments.empty()) parameters["engine_arguments"] = options.engine_arguments;
  return parameters;
}

std::string command_script(const std::vector<std::string>& arguments) {
  std::string script = std::string("#!/bin/sh\n# scvet ") + version() + "\ncd " +
                       shell_word(fs::current_path().string()) + " || exit 1\nexec scvet";
  for (const std::string& argument : arguments) script += " " + shell_word(argument);
  return script + "\n";
}

}  // namespace scvet::jobs
