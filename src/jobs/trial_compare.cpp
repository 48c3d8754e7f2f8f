#include <fmt/format.h>

#include <filesystem>

#include "scvet/base/error.h"
#include "scvet/trial/cascade.h"
#include "trial_common.h"

namespace scvet::jobs {

TrialCompareResult compare_trials(const std::vector<std::string>& folders, const std::string& arm,
                                  const std::string& state_dir) {
  std::vector<trial::TrialFolder> trials;
  std::vector<trial::Category> categories;
  std::vector<std::vector<trial::Criterion>> criteria;
  TrialCompareResult result;
  std::string header = fmt::format("{:<22}", "criterion");
  for (const std::string& path : folders) {
    trials.push_back(trial::TrialFolder::open(
        path, {.state_dir = state_dir, .clock = {}, .software_version = {}, .attested_by = {}}));
    trial::TrialFolder& folder = trials.back();
    folder.require_intact();
    trial::require_same_protocol(trials.front(), folder);
    std::string chosen = arm;
    for (const std::string& name : folder.arms())
      if (chosen.empty() && folder.history(name).role == "primary") chosen = name;
    folder.require_state(chosen, trial::Step::kAfterDone);
    if (folder.history(chosen).role == "sensitivity")
      throw UsageError(fmt::format("{}: arm {} is a sensitivity arm, which has no category to compare", path, chosen),
                       {.field = "arm"});
    const trial::OutcomeRecord outcome = folder.outcome(chosen);
    categories.push_back(trial::parse_category(outcome.category, path));
    const trial::Outcome decided = trial::decide(trial::make_deltas(outcome.mb, outcome.mg, outcome.gb, outcome.sm),
                                                 folder.protocol().cascade, !trial::is_default_rule(folder.protocol()));
    criteria.push_back(decided.criteria);
    header += fmt::format(" {:>24}", fmt::format("{} ({})", std::filesystem::path(path).filename().string(), chosen));
  }
  result.lines.push_back(header);
  for (std::size_t at = 0; at < criteria.front().size(); ++at) {
    std::string line = fmt::format("{:<22}", criteria.front()[at].key);
    for (const auto& phase : criteria)
      line += fmt::format(" {:>24}", fmt::format("{:+.4f} {}", phase[at].value, phase[at].passed ? "yes" : "no"));
    result.lines.push_back(line);
  }
  result.pattern = trial::cross_phase_pattern(categories);
  return result;
}

}  // namespace scvet::jobs
