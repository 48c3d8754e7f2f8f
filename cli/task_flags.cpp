#include "task_flags.h"

#include <algorithm>
#include <cstdio>

#include "scvet/base/error.h"
#include "scvet/base/log.h"
#include "scvet/base/text.h"
#include "scvet/jobs/run_folder.h"

namespace scvet::cli {
namespace {

void require_profile(const std::string& profile) {
  if (profile.empty() || profile == "local" || profile == "standard") return;
  if (profile == "slurm")
    throw UsageError(
        "--profile slurm: scheduler scripts come with a later version; run this command inside a job of your own "
        "(sbatch --wrap), or leave the flag out",
        {.field = "--profile", .reason = "not_available"});
  throw UsageError("--profile '" + profile + "': expected local or standard", {.field = "--profile"});
}

// CLI11 hands positionals before and after "--" alike; only those after it are meant for an engine.
void require_after_dashes(const std::vector<std::string>& extra) {
  const std::vector<std::string>& arguments = jobs::command_line();
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  const auto after = dashes == arguments.end() ? 0 : arguments.end() - dashes - 1;
  if (static_cast<std::ptrdiff_t>(extra.size()) <= after) return;
  throw UsageError("unexpected argument '" + extra.front() + "'; values follow the flag they belong to",
                   {.field = extra.front()});
}

void warn_of_engine(const jobs::TaskOptions& options) {
  std::vector<std::string> unused;
  if (!options.config.empty()) unused.push_back("--config");
  if (!options.nextflow.empty()) unused.push_back("--nextflow");
  if (!options.engine_arguments.empty()) unused.push_back("arguments after --");
  if (unused.empty()) return;
  log_warning(join(unused, ", ") + ": recorded, without effect, as scvet has no workflow engine");
}

}  // namespace

std::shared_ptr<TaskFlags> add_task_flags(CLI::App& app) {
  const char* const kGroup = "Flags of every task";
  auto flags = std::make_shared<TaskFlags>();
  jobs::TaskOptions& options = flags->options;
  app.add_option(
         "--workspace", options.workspace,
         "workspace folder (default: $SCVET_WORKSPACE, $SCFOUNDRY_WORKSPACE, the nearest folder upwards that is "
         "one, else none)")
      ->group(kGroup);
  app.add_option("--run-name", options.run_name, "name of the run's folder (default: time, method and input)")
      ->group(kGroup);
  flags->resume = app.add_option("--resume", options.resume_run,
                                 "use the folder of this run again (without a name: of the newest such run)")
                      ->expected(0, 1)
                      ->group(kGroup);
  app.add_option("--gpu", options.gpu, "device index or list; ignored by methods without a network")->group(kGroup);
  app.add_flag("--require-gpu", options.require_gpu, "an error, not a warning, where a method's GPU is not there")
      ->group(kGroup);
  app.add_option("--weights-dir", options.weights_dir, "model weights (default: <workspace>/data/model_weights)")
      ->group(kGroup);
  app.add_option("--cache-dir", options.cache_dir, "cache (default: <workspace>/cache)")->group(kGroup);
  app.add_option("--config", options.config, "accepted, without effect")->group(kGroup);
  app.add_option("--profile", options.profile, "local or standard, which are the same")->group(kGroup);
  app.add_option("--nextflow", options.nextflow, "accepted, without effect")->group(kGroup);
  app.add_flag("--dry-run", options.dry_run, "show parameters and command, make nothing")->group(kGroup);
  app.add_option("ARGS", flags->extra, "after --: accepted, without effect")->group("");
  return flags;
}

jobs::TaskOptions task_options(TaskFlags& flags, const CommonFlags& common) {
  require_after_dashes(flags.extra);
  require_profile(flags.options.profile);
  jobs::TaskOptions options = flags.options;
  options.outdir = common.outdir;
  options.force = common.force;
  options.resume = flags.resume->count() > 0;
  options.engine_arguments = flags.extra;
  warn_of_engine(options);
  return options;
}

void show_outcomes(const std::vector<jobs::TaskOutcome>& outcomes) {
  for (const jobs::TaskOutcome& outcome : outcomes) {
    const std::string name = outcome.task + " " + outcome.method + " " + outcome.input;
    if (outcome.status == "planned")
      std::printf("task: %s\nmethod: %s\ninput: %s\nrun: %s\n%s\n", outcome.task.c_str(), outcome.method.c_str(),
                  outcome.input.c_str(), outcome.folder.c_str(), outcome.message.c_str());
    else if (outcome.status == "unchanged")
      log_info(name + ": complete and unchanged (run " + base_name(outcome.folder) + "); --force computes it again");
    else if (outcome.status == "ok")
      log_info(name + ": done (" + outcome.folder + ")");
  }
  std::fflush(stdout);
  jobs::throw_failures(outcomes);
}

}  // namespace scvet::cli
