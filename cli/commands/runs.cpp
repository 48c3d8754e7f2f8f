#include <cstdio>
#include <memory>

#include "command.h"
#include "scvet/jobs/task_run.h"
#include "scvet/jobs/workspace_text.h"

namespace scvet::cli {
namespace {

std::function<void()> add(CLI::App& app, const CommonFlags& common) {
  struct Flags {
    jobs::TaskOptions task_options;
    std::string task;
    std::int64_t limit = 20;
    bool json = false;
  };
  auto flags = std::make_shared<Flags>();
  app.add_option("--workspace", flags->task_options.workspace, "workspace folder (default: as every task finds it)");
  app.add_option("--task", flags->task, "runs of this task only");
  app.add_option("--limit", flags->limit, "most runs shown; 0: all")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_flag("--json", flags->json, "JSON instead of a table, with why a run failed");
  app.footer(
      R"(Newest first: started (UTC), task, method, status, exit code, run directory. Status: running, ok, interrupted, failed,
and lost for a run that says running while its process is gone from this machine. Outside a workspace: the runs below
<outdir>/runs (default: results/runs).

Examples:
  scvet runs --task embed --limit 5
  scvet runs --json
Exit codes: 0 done, 2 wrong flags or no such workspace.)");
  return [flags, &common] {
    flags->task_options.outdir = common.outdir;
    const auto runs = jobs::list_runs(jobs::task_places(flags->task_options).runs, flags->task, flags->limit);
    std::fputs((flags->json ? jobs::runs_json(runs) : jobs::runs_text(runs)).c_str(), stdout);
  };
}

}  // namespace

extern const CommandRecord runs_command = {"runs", "what was run in this workspace, newest first", add};

}  // namespace scvet::cli
