#include <cstdio>
#include <memory>

#include "command.h"
#include "scvet/jobs/workspace_text.h"

namespace scvet::cli {
namespace {

std::function<void()> add(CLI::App& app, const CommonFlags&) {
  struct Flags {
    std::string what, task;
    bool json = false;
  };
  auto flags = std::make_shared<Flags>();
  app.add_option("WHAT", flags->what, "methods or tasks")->required()->check(CLI::IsMember({"methods", "tasks"}));
  app.add_option("--task", flags->task, "methods of this task only");
  app.add_flag("--json", flags->json, "JSON instead of a table");
  app.footer(
      R"(Methods: method, name, category, gpu, tasks, container; those of scFoundry that this version does not have are
marked. Tasks: task, status, description.

Examples:
  scvet list methods --task embed
  scvet list tasks --json
Exit codes: 0 done, 2 wrong flags.)");
  return [flags] {
    std::string text;
    if (flags->what == "methods") {
      const std::vector<jobs::MethodRow> rows = jobs::list_methods(flags->task);
      text = flags->json ? jobs::methods_json(rows) : jobs::methods_text(rows);
    } else {
      const std::vector<jobs::TaskRow> rows = jobs::list_tasks();
      text = flags->json ? jobs::tasks_json(rows) : jobs::tasks_text(rows);
    }
    std::fputs(text.c_str(), stdout);
  };
}

}  // namespace

extern const CommandRecord list_command = {"list", "which methods and tasks there are", add};

}  // namespace scvet::cli
