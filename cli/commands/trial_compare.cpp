#include <cstdio>
#include <memory>

#include "command.h"
#include "trial_flags.h"

namespace scvet::cli {
namespace {

struct Flags {
  std::vector<std::string> trials;
  std::string arm, state_dir;
};

std::function<void()> add(CLI::App& app, const CommonFlags&) {
  const auto flags = std::make_shared<Flags>();
  app.add_option("TRIAL", flags->trials, "folders of finished trials, in the order of the phases")
      ->required()
      ->expected(2, -1);
  app.add_option("--arm", flags->arm, "name of the arm in all of them (default: the primary arm)");
  app.add_option("--state-dir", flags->state_dir, "folder of the mirrors");
  app.footer(std::string("The pattern across phases, for trials of one and the same protocol; others are refused.\n"
                         "Example:\n"
                         "  scvet trial compare trials/rpe1 trials/k562 --arm geneformer\n") +
             kTrialExits);
  return [flags] {
    const jobs::TrialCompareResult result = jobs::compare_trials(flags->trials, flags->arm, flags->state_dir);
    for (const std::string& line : result.lines) std::printf("%s\n", line.c_str());
    std::printf("pattern: %s\n", result.pattern.c_str());
  };
}

}  // namespace

extern const CommandRecord trial_compare_command = {"trial compare", "the pattern of verdicts across phases", add};

}  // namespace scvet::cli
