// What stands before a category, and the clock that a stage opens a folder with.
#include <algorithm>
#include <ctime>
#include <filesystem>
#include <memory>

#include "scvet/base/files.h"
#include "trial_common.h"

namespace scvet::jobs {
namespace {

// One minute a ledger line from `start`, so that a trial can be repeated byte for byte.
std::function<std::string()> ticking_clock(const std::string& folder, const std::string& start) {
  std::tm parts{};
  if (!strptime(start.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts)) return {};
  const std::string ledger = folder + "/ledger.jsonl";
  const std::string lines = std::filesystem::exists(ledger) ? read_file(ledger) : "";
  const auto next = std::make_shared<std::time_t>(timegm(&parts) + 60 * std::count(lines.begin(), lines.end(), '\n'));
  return [next] {
    std::tm now{};
    gmtime_r(next.get(), &now);
    *next += 60;
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &now);
    return std::string(text);
  };
}

}  // namespace

trial::FolderOptions folder_options(const TrialPlace& place, const TrialInjection& injection) {
  trial::FolderOptions options;
  options.state_dir = place.state_dir;
  options.break_lock = place.break_lock;
  options.software_version = injection.version;
  if (!injection.clock.empty()) options.clock = ticking_clock(place.folder, injection.clock);
  return options;
}

std::vector<std::string> headline_prefixes(const trial::TrialFolder& folder, const std::string& arm) {
  std::vector<std::string> prefixes;
  const trial::ManifestRecord& manifest = folder.manifest();
  const trial::Protocol& protocol = folder.protocol();
  if (manifest.underpowered) prefixes.push_back("UNDERPOWERED");
  if (!folder.disclosures(arm).pre_registered) prefixes.push_back("NOT PRE-REGISTERED");
  if (manifest.split_origin == "file")
    prefixes.push_back("SPLIT from a file");
  else if (manifest.split_origin != "derived")
    prefixes.push_back("SPLIT SEED " + manifest.split_origin);
  if (protocol.baseline != trial::BaselineForm::kRidgeResidual)
    prefixes.push_back(std::string("BASELINE=") + trial::baseline_name(protocol.baseline));
  if (!trial::is_default_rule(protocol)) prefixes.push_back("CUSTOM");
  if (folder.history(arm).role == "sensitivity") prefixes.push_back("SENSITIVITY (no category)");
  return prefixes;
}

}  // namespace scvet::jobs
