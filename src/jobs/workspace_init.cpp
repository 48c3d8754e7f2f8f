// Making a workspace, and what a person should know about the machine.
#include <sys/sysinfo.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "run_record.h"
#include "scvet/base/cpu.h"
#include "scvet/base/error.h"
#include "scvet/base/files.h"
#include "scvet/base/parallel.h"
#include "scvet/base/text.h"
#include "scvet/base/version.h"
#include "scvet/jobs/workspace.h"

namespace scvet::jobs {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr double kGiB = 1024.0 * 1024 * 1024;

std::string gibibytes(double bytes) {
  return format_number(static_cast<double>(static_cast<std::int64_t>(bytes / kGiB * 10)) / 10) + " GiB";
}

void require_free(const fs::path& root) {
  for (const char* marker : {".scvet.json", ".scfoundry.json"})
    if (fs::exists(root / marker))
      throw UsageError(root.string() + " is a workspace already (" + marker +
                           "); --force writes its marker anew and "
                           "keeps what is there",
                       {.file = root.string(), .reason = "exists"});
  if (fs::exists(root / "nextflow.config"))
    throw UsageError(root.string() +
                         " holds a nextflow.config, so it may be another pipeline's folder; choose another, "
                         "or pass --force",
                     {.file = root.string(), .reason = "nextflow_config"});
}

}  // namespace

std::vector<EnvironmentFact> environment_report(const std::string& folder) {
  std::vector<EnvironmentFact> facts;
  facts.push_back({"scvet", version()});
  facts.push_back(
      {"processor", cpu_model() + ", " + std::to_string(workers()) + " workers, " + simd_name(simd_target())});
  struct sysinfo memory {};
  if (sysinfo(&memory) == 0) {
    const double total = static_cast<double>(memory.totalram) * memory.mem_unit;
    facts.push_back({"memory", gibibytes(total), total >= 4 * kGiB});
  }
  std::error_code error;
  const fs::space_info disk = fs::space(folder, error);
  if (!error) {
    const auto free = static_cast<double>(disk.available);
    facts.push_back({"disk", gibibytes(free) + " free at " + folder, free >= 10 * kGiB});
  }
  facts.push_back({"networks", "none in this version: every method here runs without weights and without a GPU"});
  return facts;
}

InitResult init_workspace(const InitOptions& options) {
  const fs::path given = fs::absolute(options.folder.empty() ? "." : options.folder).lexically_normal();
  const fs::path root = given.has_filename() ? given : given.parent_path();
  if (fs::exists(root) && !fs::is_directory(root))
    throw UsageError(root.string() + " is a file, so it cannot be a workspace", {.file = root.string()});
  if (!options.force) require_free(root);
  InitResult result;
  result.workspace = {root.string(), ".scvet.json"};
  for (const char* place : {"data/model_weights", "cache", "results", "runs"}) {
    if (fs::is_directory(root / place)) continue;
    make_folders((root / place).string());
    result.made.emplace_back(std::string(place) + "/");
  }
  json marker = {{"version", version()}, {"created", utc_time()}, {"pipeline", std::string("scvet ") + version()}};
  marker["container_runtime"] = options.runtime.empty() ? json(nullptr) : json(options.runtime);
  if (!options.gpu.empty()) marker["gpu"] = options.gpu;
  if (!options.nextflow.empty()) marker["nextflow"] = options.nextflow;
  write_record(result.workspace.place(".scvet.json"), marker);
  result.made.emplace_back(".scvet.json");
  result.environment = environment_report(root.string());
  return result;
}

}  // namespace scvet::jobs
