// Commands and flags before parsing: unambiguous prefixes are written out, unknown names get the nearest one.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace scvet::cli {

// Returns `arguments` (those after the program's name) with every --prefix written in full and '_' in flag names
// replaced by '-'. Throws UsageError on an unknown or ambiguous flag, and on an unknown or missing command.
std::vector<std::string> complete_flags(CLI::App& app, std::vector<std::string> arguments);

}  // namespace scvet::cli
