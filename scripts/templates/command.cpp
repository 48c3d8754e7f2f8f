// scvet @WORDS@: parses, calls one function of jobs, prints.
#include <string>

#include "command.h"
#include "scvet/base/error.h"

namespace scvet::cli {
namespace {

std::function<void()> add(CLI::App& app, const CommonFlags&) {
  app.footer("Example:\n  scvet @WORDS@");
  return [] { throw InternalError("scvet @WORDS@: the command has no body yet"); };
}

}  // namespace

extern const CommandRecord @NAME @_command = {.name = "@WORDS@", .summary = "one line for people", .add = add};

}  // namespace scvet::cli
