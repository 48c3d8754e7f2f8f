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

std::string complete(const CLI::App& app, const std::string& given) {
  const std::vector<std::string> names = long_names(app);
  std::string name = given;
  std::replace(name.begin(), name.end(), '_', '-');
  if (std::find(names.begin(), names.end(), name) != names.end()) return name;
  std::vector<std::string> matches;
  for (const std::string& candidate : names)
    if (candidate.starts_with(name)) matches.push_back("--" + candidate);
  if (matches.size() == 1) return matches.front().substr(2);
  if (matches.size() > 1) throw UsageError("flag --" + given + " is ambiguous: " + join(matches, ", "));
  std::string message = "unknown flag --" + given;
  if (const auto near = nearest_name(name, names)) message += "; did you mean --" + *near + "?";
  throw UsageError(message + " (scvet " + app.get_name() + " --help lists all)");
}

}  // namespace

std::vector<std::string> complete_flags(const CLI::App& app, std::vector<std::string> arguments) {
  const CLI::App* current = &app;
  for (std::string& argument : arguments) {
    if (argument == "--") break;
    if (!argument.starts_with("--")) {
      for (const CLI::App* sub : current->get_subcommands([](const CLI::App*) { return true; }))
        if (sub->get_name() == argument) {
          current = sub;
          break;
        }
      continue;
    }
    const std::size_t equals = argument.find('=');
    const std::string name = argument.substr(2, equals == std::string::npos ? equals : equals - 2);
    argument = "--" + complete(*current, name) + (equals == std::string::npos ? "" : argument.substr(equals));
  }
  return arguments;
}

}  // namespace scvet::cli
