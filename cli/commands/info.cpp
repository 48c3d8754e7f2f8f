#include <cstdio>
#include <memory>

#include "command.h"
#include "scvet/jobs/workspace_text.h"

namespace scvet::cli {
namespace {

std::function<void()> add(CLI::App& app, const CommonFlags&) {
  struct Flags {
    std::string workspace;
    bool json = false;
  };
  auto flags = std::make_shared<Flags>();
  app.add_option("--workspace", flags->workspace, "workspace folder (default: as every task finds it)");
  app.add_flag("--json", flags->json, "one JSON object instead of text");
  app.footer(
      R"(The workspace that a task would use from here, its places, how many runs ended in which way, and what the machine has.

Examples:
  scvet info
  scvet info --workspace atlas --json
Exit codes: 0 done, 2 wrong flags or no such workspace.)");
  return [flags] {
    const std::string text = flags->json ? jobs::info_json(flags->workspace) : jobs::info_text(flags->workspace);
    std::fputs(text.c_str(), stdout);
  };
}

}  // namespace

extern const CommandRecord info_command = {"info", "the workspace from here: places, runs, machine", add};

}  // namespace scvet::cli
