#include "flags.h"

#include <algorithm>

#include "scvet/base/error.h"
#include "scvet/base/text.h"

namespace scvet::cli {
namespace {

std::vector<std::string> long_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options({}))
    for (const std::string& name : option->get_lnames()) names.push_back(name);
  return names;
}

// "scvet", "scvet corpus", "scvet corpus build".
std::string full_name(const CLI::App& app) {
  return app.get_parent() ? full_name(*app.get_parent()) + " " + app.get_name() : app.get_name();
}

std::string complete(const CLI::App& app, const std::string& given) {
  const std::vector<std::string> names = long_names(app);
  std::string name = given;
  std::replace(name.begin(), name.end(), '_', '-');
  if (std::find(names.begin(), names.end(), name) != names.end()) return name;
  std::vector<std::string> matches;
  for (const std::string& candidate : names)
    if (candidate.starts_with(name)) matches.push_back("--" + candidate);
  if (matches.size() == 1) return matches.front().substr(2);
  if (matches.size() > 1)
    throw UsageError("flag --" + given + " is ambiguous: " + join(matches, ", "), {.field = given});
  std::string message = "unknown flag --" + given;
  if (const auto near = nearest_name(name, names)) message += "; did you mean --" + *near + "?";
  throw UsageError(message + " ('" + full_name(app) + " --help' lists all)", {.field = given});
}

std::vector<CLI::App*> subcommands(CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

// The subcommand that `word` names below `app`. A group such as "corpus" takes nothing but the name of a command.
CLI::App& find_command(CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (CLI::App* sub : subcommands(app)) {
    if (sub->get_name() == word) return *sub;
    names.push_back(sub->get_name());
  }
  // Commands of scFoundry: its users should not have to guess.
  for (const char* later : {"download", "finetune", "transfer"})
    if (!app.get_parent() && word == later)
      throw UsageError("'" + word + "' is not available in this version of scvet ('scvet list tasks' shows what is)",
                       {.field = word, .reason = "not_available"});
  const std::string group = app.get_parent() ? app.get_name() + " " : "";
  std::string message = "unknown command '" + group + word + "'";
  if (const auto near = nearest_name(word, names)) message += "; did you mean '" + group + *near + "'?";
  throw UsageError(message + " (available: " + join(names, ", ") + ")", {.field = group + word});
}

bool asks_for_help(const std::string& flag) { return flag == "-h" || flag == "--help" || flag == "--version"; }

}  // namespace

std::vector<std::string> complete_flags(CLI::App& app, std::vector<std::string> arguments) {
  CLI::App* current = &app;
  bool help = false;
  for (std::string& argument : arguments) {
    if (argument == "--") break;
    if (argument.starts_with("--")) {
      const std::size_t equals = argument.find('=');
      const std::string name = argument.substr(2, equals == std::string::npos ? equals : equals - 2);
      argument = "--" + complete(*current, name) + (equals == std::string::npos ? "" : argument.substr(equals));
    } else if (!argument.starts_with("-") && !subcommands(*current).empty()) {
      current = &find_command(*current, argument);
    }
    help = help || asks_for_help(argument);
  }
  if (!help && !subcommands(*current).empty()) {
    std::vector<std::string> names;
    for (const CLI::App* sub : subcommands(*current)) names.push_back(sub->get_name());
    throw UsageError("no command given: '" + full_name(*current) + " COMMAND', where COMMAND is one of " +
                     join(names, ", ") + " ('" + full_name(*current) + " --help' explains them)");
  }
  return arguments;
}

}  // namespace scvet::cli
