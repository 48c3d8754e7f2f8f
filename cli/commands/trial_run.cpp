#include <memory>

#include "command.h"
#include "trial_flags.h"

namespace scvet::cli {
namespace {

std::function<void()> add(CLI::App& app, const CommonFlags&) {
  const auto options = std::make_shared<jobs::TrialRunOptions>();
  jobs::TrialLockOptions& lock = options->lock;
  add_place_flags(app, lock.place);
  add_counts_flags(app, lock.counts);
  app.add_option("--min-cells", lock.min_cells, "fewest cells of a row")->capture_default_str();
  add_embedding_flags(app, lock.embedding);
  add_arm_flags(app, lock.arm);
  app.add_option("--baseline", lock.baseline, "ridge_residual, ridge_direct or mlp_residual")->capture_default_str();
  app.add_option("--preset", lock.preset, "published split seed: replogle_rpe1 or replogle_k562_gwps");
  app.add_option("--attested-by", lock.attested_by, "who makes the statements of the manifest (default: the user)");
  app.add_flag("--underpowered", lock.underpowered, "go on although the test is too small to decide");
  app.add_option("--overlap", options->posthoc.overlap, "cells.csv of 'scvet audit', for strata of exposure");
  app.add_flag("--quick", options->posthoc.quick, "leave out what reads the counts again or trains more");
  app.footer(std::string("lock, sanity, final-test and posthoc in one go. Still one look at the test; as nothing was "
                         "deposited between lock and\ntest, the headline says NOT PRE-REGISTERED.\n"
                         "Example:\n"
                         "  scvet trial run --trial trials/try --counts screen.h5ad --obsm X_scgpt --arm scgpt "
                         "--extraction scgpt.json\n") +
             kTrialExits);
  return [options] {
    options->posthoc.place = options->lock.place;
    print_stage(jobs::run_trial(*options));
  };
}

}  // namespace

extern const CommandRecord trial_run_command = {"trial run", "all stages at once, marked as not pre-registered", add};

}  // namespace scvet::cli
