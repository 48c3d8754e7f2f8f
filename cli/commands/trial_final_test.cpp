#include <memory>

#include "command.h"
#include "trial_flags.h"

namespace scvet::cli {
namespace {

std::function<void()> add(CLI::App& app, const CommonFlags&) {
  const auto options = std::make_shared<jobs::TrialFinalTestOptions>();
  add_place_flags(app, options->place);
  app.add_option("--arm", options->arm, "name of the arm (default: the only one)");
  add_embedding_flags(app, options->embedding);
  app.add_flag("--resume", options->resume,
               "score the stored predictions after a crash behind the opening of the test");
  add_injection_flags(app, options->injection);
  app.footer(
      std::string("The one look at the test: checks every digest, trains again, demands the same bits as sanity, "
                  "stores the predictions,\nopens the test labels, scores, and decides. There is no second one.\n"
                  "Outputs in arms/NAME: predictions.tsv, test.opened, metrics.json, outcome.json; report.html.\n"
                  "Example:\n"
                  "  scvet trial final-test --trial trials/rpe1\n") +
      kTrialExits);
  return [options] { print_stage(jobs::test_trial(*options)); };
}

}  // namespace

extern const CommandRecord trial_final_test_command = {"trial final-test", "the one look at the test, and the verdict",
                                                       add};

}  // namespace scvet::cli
