// The line that stands above a verdict, and the clock and names that a stage opens a folder with.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <memory>

#include "scvet/base/files.h"
#include "scvet/base/text.h"
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

std::string headline(const trial::TrialFolder& folder, const std::string& arm) {
  std::string line = join(headline_prefixes(folder, arm), ", ");
  const trial::ArmHistory& history = folder.history(arm);
  const bool sensitivity = history.role == "sensitivity";
  const std::string category = folder.state(arm) == trial::ArmState::kTestDone ? folder.outcome(arm).category : "";
  if (!sensitivity && !category.empty()) line += (line.empty() ? "" : ": ") + category;
  if (category.empty()) line += (line.empty() ? "" : ": ") + std::string(trial::state_name(folder.state(arm)));
  const trial::Disclosures shown = folder.disclosures(arm);
  line += fmt::format("; arm {} of {} ({}), prior openings {}, locks on this data {}, deposit {}", shown.arm_index,
                      shown.n_arms, arm, shown.prior_openings, shown.locks_on_this_data, shown.deposit);
  if (!shown.state_folder) line += "; NO STATE FOLDER: a restored older folder would not be seen";
  return line;
}

}  // namespace scvet::jobs
