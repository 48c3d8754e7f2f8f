#include <memory>

#include "command.h"
#include "trial_flags.h"

namespace scvet::cli {
namespace {

std::function<void()> add(CLI::App& app, const CommonFlags&) {
  const auto options = std::make_shared<jobs::TrialPosthocOptions>();
  add_place_flags(app, options->place);
  app.add_option("--arm", options->arm, "name of the arm (default: every arm that is done)");
  add_embedding_flags(app, options->embedding);
  app.add_option("--counts", options->counts, "the screen, where it moved since lock");
  app.add_option("--overlap", options->overlap,
                 "cells.csv of 'scvet audit', or a table with a column of 0 and 1 a cell");
  app.add_option("--overlap-key", options->overlap_key, "column of --overlap")->capture_default_str();
  app.add_option("--untrained", options->untrained, "embedding of an untrained encoder, reported only");
  app.add_flag("--quick", options->quick, "leave out what reads the counts again or trains more");
  app.footer(std::string("After the test: intervals (A1, A1g), thresholds (A2), A4, sensitivity audits, reported-only "
                         "predictors, overlap strata.\nNothing here changes a category.\n"
                         "Outputs: posthoc.json, audits.json, criteria.tsv, report.html, report.md, methods.md.\n"
                         "Example:\n"
                         "  scvet trial posthoc --trial trials/rpe1 --overlap audit/cells.csv\n") +
             kTrialExits);
  return [options] { print_stage(jobs::posthoc_trial(*options)); };
}

}  // namespace

extern const CommandRecord trial_posthoc_command = {"trial posthoc",
                                                    "intervals, sensitivity and the report, after the test", add};

}  // namespace scvet::cli
