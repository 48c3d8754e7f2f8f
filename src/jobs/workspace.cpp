#include "scvet/jobs/workspace.h"

#include <cstdlib>
#include <filesystem>

#include "scvet/base/error.h"

namespace scvet::jobs {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMarkers[] = {".scvet.json", ".scfoundry.json"};

Workspace at(const fs::path& folder) {
  for (const char* marker : kMarkers)
    if (fs::is_regular_file(folder / marker)) return {folder.string(), marker};
  return {};
}

// What --workspace or an environment variable names must be one.
Workspace require(const std::string& folder, const std::string& named_by) {
  const fs::path path = fs::absolute(folder).lexically_normal();
  Workspace found = at(path.has_filename() ? path : path.parent_path());
  if (!found.found())
    throw UsageError(named_by + " " + folder + " is no workspace: it has neither .scvet.json nor .scfoundry.json; " +
                         "'scvet init " + folder + "' makes it one",
                     {.file = folder, .field = named_by, .reason = "no_workspace"});
  return found;
}

}  // namespace

Workspace find_workspace(const std::string& named) {
  if (!named.empty()) return require(named, "--workspace");
  for (const char* variable : {"SCVET_WORKSPACE", "SCFOUNDRY_WORKSPACE"})
    if (const char* value = std::getenv(variable); value && *value) return require(value, "$" + std::string(variable));
  for (fs::path folder = fs::current_path();; folder = folder.parent_path()) {
    Workspace found = at(folder);
    if (found.found() || folder == folder.parent_path()) return found;
  }
}

}  // namespace scvet::jobs
