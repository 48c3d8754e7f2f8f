// The flags that every task of a workspace shares, and how their outcomes are shown.
#pragma once

#include <memory>
#include <vector>

#include "command.h"
#include "scvet/jobs/task_run.h"

namespace scvet::cli {

struct TaskFlags {
  jobs::TaskOptions options;
  CLI::Option* resume = nullptr;
  std::vector<std::string> extra;  // what stands behind "--"
};

// --workspace --run-name --resume --gpu --require-gpu --weights-dir --cache-dir --config --profile --nextflow --dry-run
// and arguments after "--". Do not add a positional to such a command.
std::shared_ptr<TaskFlags> add_task_flags(CLI::App& app);

// After parsing: the options with --outdir and --force of `common`. Warns once of flags without effect; UsageError on a
// profile that this version does not have and on arguments that no flag takes.
jobs::TaskOptions task_options(TaskFlags& flags, const CommonFlags& common);

// A line a run on stderr (the plan of a dry run on stdout), then throws where one failed.
void show_outcomes(const std::vector<jobs::TaskOutcome>& outcomes);

}  // namespace scvet::cli
