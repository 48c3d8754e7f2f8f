// The program: builds the command tree from the table of commands, parses, runs, and turns errors into one message and
// one exit code.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command.h"
#include "flags.h"
#include "scvet/base/error.h"
#include "scvet/base/log.h"
#include "scvet/base/parallel.h"
#include "scvet/base/progress.h"
#include "scvet/base/text.h"
#include "scvet/base/version.h"
#include "scvet/jobs/run_folder.h"

namespace scvet::cli {
namespace {

void add_common_flags(CLI::App& app, CommonFlags& common) {
  const char* const kGroup = "Flags of every command";
  app.add_option("--outdir", common.outdir, "folder for the outputs")->group(kGroup);
  app.add_option("--seed", common.seed, "seed of every random choice")->capture_default_str()->group(kGroup);
  app.add_option("--threads", common.threads, "worker threads (default: all processors)")
      ->check(CLI::NonNegativeNumber)
      ->group(kGroup);
  app.add_flag("--quiet", common.quiet, "warnings and errors only")->group(kGroup);
  app.add_flag("--verbose", common.verbose, "say more")->group(kGroup);
  app.add_flag("--log-json", common.log_json, "talk in JSON lines on stderr")->group(kGroup);
  app.add_flag("--force", common.force, "compute again what is complete and unchanged")->group(kGroup);
}

// "corpus build" becomes the subcommand build of the group corpus.
CLI::App& make_command(CLI::App& app, const CommandRecord& record) {
  const std::vector<std::string> words = split(record.name, ' ');
  CLI::App* parent = &app;
  if (words.size() == 2) {
    const auto groups = app.get_subcommands([&](CLI::App* sub) { return sub->get_name() == words[0]; });
    if (!groups.empty()) {
      parent = groups.front();
    } else {
      parent = app.add_subcommand(words[0], "commands about a " + words[0]);
      parent->require_subcommand(1);
    }
  }
  return *parent->add_subcommand(words.back(), record.summary);
}

void apply(const CommonFlags& common) {
  LogOptions log;
  log.level = common.quiet ? LogLevel::kQuiet : common.verbose ? LogLevel::kVerbose : LogLevel::kNormal;
  log.json = common.log_json;
  set_log_options(log);
  set_workers(common.threads);
}

int report_error(const Error& error) {
  const ErrorFacts& facts = error.facts();
  if (log_options().json) {
    nlohmann::json line = {{"level", "error"}, {"message", error.what()}, {"exit_code", error.exit_code()}};
    if (!facts.file.empty()) line["file"] = facts.file;
    if (!facts.field.empty()) line["field"] = facts.field;
    if (!facts.gene.empty()) line["gene"] = facts.gene;
    if (!facts.reason.empty()) line["reason"] = facts.reason;
    if (facts.row >= 0) line["row"] = facts.row;
    std::fprintf(stderr, "%s\n", line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
  } else {
    log_error(error.what());
  }
  return error.exit_code();
}

int run(int argc, char** argv) {
  CLI::App app{"scvet: can this result be trusted? Audits, trials and benchmarks of single-cell foundation models."};
  app.name("scvet");
  app.set_version_flag("--version", std::string("scvet ") + version());
  app.require_subcommand(1);
  app.footer(
      "'scvet COMMAND --help' explains one command. Exit codes: 0 done, 1 a finding under --fail-on,\n"
      "2 wrong flags or columns, 3 data, 4 lock, 5 model, 6 resources or a missing plugin, 130 interrupted.");
  CommonFlags common;
  std::map<CLI::App*, std::function<void()>> actions;
  for (const CommandRecord* record : commands()) {
    CLI::App& command = make_command(app, *record);
    add_common_flags(command, common);
    actions[&command] = record->add(command, common);
  }
  std::vector<std::string> arguments(argv + 1, argv + argc);
  for (const std::string& argument : arguments)
    if (argument == "--log-json") set_log_options({.level = LogLevel::kNormal, .json = true});
  try {
    arguments = complete_flags(app, std::move(arguments));
    jobs::set_command_line(arguments);
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    throw UsageError(error.what());
  }
  apply(common);
  install_stop_handler();
  CLI::App* chosen = &app;
  while (!chosen->get_subcommands().empty()) chosen = chosen->get_subcommands().front();
  actions.at(chosen)();
  return 0;
}

}  // namespace
}  // namespace scvet::cli

int main(int argc, char** argv) {
  using namespace scvet;
  try {
    return cli::run(argc, argv);
  } catch (const Error& error) {
    return cli::report_error(error);
  } catch (const std::bad_alloc&) {
    return cli::report_error(ResourceError("out of memory; use a machine with more, or fewer cells at a time"));
  } catch (const std::exception& error) {
    return cli::report_error(InternalError(std::string("internal fault: ") + error.what()));
  }
}
