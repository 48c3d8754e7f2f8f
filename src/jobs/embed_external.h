// A user's own program as a method: cells in a file, an embedding out, one row a cell. docs/embed.md.
#pragma once

#include <string>

#include "embed_input.h"
#include "scvet/embed/method.h"
#include "scvet/jobs/embed.h"
#include "scvet/jobs/task_run.h"

namespace scvet::jobs {

// The cleaned name. UsageError where it is missing, empty after cleaning, or a registered method's; and where the
// command is missing.
std::string external_name(const ExternalOptions& options);

// What the key of a run knows of a command: itself, and the digests of the files that it names.
std::string external_options_json(const EmbedOptions& options);

// Runs the command and joins its rows to the cells by name. ModelError (exit 5) where the program fails, as it stands
// for the model; ResourceError (6) at a limit; DataError (3) where what it wrote breaks the contract.
embed::MethodOutput run_external(TaskRun& run, const EmbedInput& input, const EmbedOptions& options);

}  // namespace scvet::jobs
