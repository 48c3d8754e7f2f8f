// A workspace: a folder with a marker, its places, and the runs recorded there. docs/workspace.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace scvet::jobs {

struct Workspace {
  std::string root = {};    // absolute; "" outside any workspace
  std::string marker = {};  // .scvet.json or .scfoundry.json
  bool found() const { return !root.empty(); }
  std::string place(const std::string& name) const { return root + "/" + name; }
};

// `named` (--workspace), else $SCVET_WORKSPACE, else $SCFOUNDRY_WORKSPACE, else the nearest folder upwards, the current
// one included, that holds a marker; empty where there is none. UsageError where a named one has no marker.
Workspace find_workspace(const std::string& named);

struct InitOptions {
  std::string folder = ".";
  std::string runtime = {};   // of the peer: apptainer, singularity, docker; kept in the marker, without effect
  std::string gpu = {};       // likewise
  std::string nextflow = {};  // likewise
  bool force = false;
};

struct EnvironmentFact {
  std::string name, value;
  bool good = true;  // false: worth a person's look, never fatal
};
std::vector<EnvironmentFact> environment_report(const std::string& folder);

struct InitResult {
  Workspace workspace;
  std::vector<std::string> made;  // folders and files, relative to the root
  std::vector<EnvironmentFact> environment;
};
// Writes the marker and makes data/model_weights, cache, results, runs; what is there stays. UsageError where the folder
// is a workspace already, or holds a nextflow.config without a marker, unless forced.
InitResult init_workspace(const InitOptions& options);

// One recorded run, as `runs` lists it.
struct RunSummary {
  std::string started, finished, task, method, input, status;  // running, ok, interrupted, failed, lost
  std::string message = {};                                    // why it failed
  int exit_code = -1;                                          // -1: none yet
  std::string folder;
};
// Of <runs>/<task>/<name>/run.json, newest first; `task` "" for all, `limit` 0 for all. A run that says "running" while
// its process is gone from this machine is lost.
std::vector<RunSummary> list_runs(const std::string& runs, const std::string& task, std::int64_t limit);

}  // namespace scvet::jobs
