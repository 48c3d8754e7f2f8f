// Runs of the workspace's tasks (prepare, check, embed, benchmark, geometry, ...): one run a method and input, each with
// its folder <runs>/<task>/<name>/ of params.json, command.sh, log.txt and run.json. docs/workspace.md.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "scvet/jobs/file_digests.h"
#include "scvet/jobs/workspace.h"

namespace scvet::jobs {

// The flags every task shares; cli/task_flags.h fills it.
struct TaskOptions {
  std::string workspace = {}, outdir = {};
  std::string run_name = {};    // "": time, method and input
  bool resume = false;          // use the folder of an earlier run again
  std::string resume_run = {};  // which; "": the newest of the same task, method and input
  std::string gpu = {};
  bool require_gpu = false;
  std::string weights_dir = {}, cache_dir = {};
  std::string config = {}, profile = {}, nextflow = {};  // of the peer: recorded, without effect
  std::vector<std::string> engine_arguments = {};        // after "--": likewise
  bool dry_run = false, force = false;
};

// Where a task reads and writes.
struct TaskPlaces {
  Workspace workspace;  // may be none
  std::string results;  // --outdir, else <workspace>/results, else results
  std::string weights;  // --weights-dir, else <workspace>/data/model_weights, else data/model_weights
  std::string cache;    // --cache-dir, else <workspace>/cache, else <results>/cache
  std::string runs;     // <workspace>/runs, else <results>/runs
  std::string digests;  // kept digests of files: <cache>/digests in a workspace or under --cache-dir, else ""
};
TaskPlaces task_places(const TaskOptions& options);

// Where a method wants a GPU: ResourceError under --require-gpu, one warning under --gpu, as this version computes on
// processors only. Nothing where it does not.
void check_gpu(const TaskOptions& options, bool uses_gpu);

// One unit of work: what fails alone.
struct TaskRequest {
  std::string task;                     // embed
  std::string method;                   // pca; a label; "input" for a check without method
  std::string input;                    // file or folder that names the run
  std::string options = "{}";           // JSON object of all that can change the outputs, the seed apart
  std::vector<std::string> files = {};  // what is read; digested
  std::uint64_t seed = 42;
};

// A run under way, as its work sees it.
class TaskRun {
 public:
  virtual ~TaskRun() = default;
  virtual const std::string& folder() const = 0;
  virtual const TaskPlaces& places() const = 0;
  // (path, SHA-256) of the request's files, in its order.
  virtual const std::vector<std::pair<std::string, std::string>>& inputs() const = 0;
  // A finished output, by its path: digested into the record when the work ends.
  virtual void add_output(const std::string& path) = 0;
  // Puts a JSON value under facts/<name> of the record.
  virtual void add_fact(const std::string& name, const std::string& json) = 0;
  virtual void add_text_fact(const std::string& name, const std::string& text) = 0;
};

struct TaskOutcome {
  std::string task, method, input;  // input: the cleaned name
  std::string status;               // ok, unchanged, failed, planned (--dry-run)
  std::string folder;               // of the run; unchanged: of the run that made the outputs
  std::string message = {};         // failed: why; planned: parameters and command
  int exit_code = 0;
  double seconds = 0;
};

// Called with the index of the request.
using TaskWork = std::function<void(std::size_t request, TaskRun& run)>;

// Runs `work` for every request in order. A request whose outputs are complete, and unchanged by the digests of its
// inputs, its options, its seed and the version, is not done again (unless forced). A run that fails costs only itself:
// its record says failed and why, and the next one starts; Ctrl-C marks the run interrupted and ends all. UsageError
// before any work: the run's name is taken, or there is no run to resume. With several requests a --run-name gets
// "_<input>" appended, and --resume RUN is refused.
std::vector<TaskOutcome> run_tasks(const TaskOptions& options, const TaskPlaces& places,
                                   const std::vector<TaskRequest>& requests, const TaskWork& work);

// Throws where a run failed, with the highest exit code: the run's own message where there was one run alone, else how
// many failed, which and why.
void throw_failures(const std::vector<TaskOutcome>& outcomes);

}  // namespace scvet::jobs
