#include <memory>

#include "command.h"
#include "trial_flags.h"

namespace scvet::cli {
namespace {

std::function<void()> add(CLI::App& app, const CommonFlags& common) {
  const auto options = std::make_shared<jobs::TrialPublishOptions>();
  add_place_flags(app, options->place);
  app.add_option("--counts", options->counts, "the screen, where it moved since lock");
  app.add_flag("--reveal", options->reveal,
               "after the last arm: publish the salt and the test labels of the commitment");
  app.footer(
      std::string("Two parties: the organiser, who holds all counts, gives participants what they need and keeps the "
                  "test.\n"
                  "Outputs in --outdir: counts.h5ad without the test rows' cells, blind.h5ad with all cells under "
                  "other names,\nlabels.trainval.tsv, split.tsv with test rows renamed, protocol.json, "
                  "commitment.json. Kept in TRIAL/private:\nthe salt and the cell names.\n"
                  "Example:\n"
                  "  scvet trial publish --trial trials/rpe1 --outdir for_participants\n") +
      kTrialExits);
  return [options, &common] {
    options->outdir = common.outdir;
    print_stage(jobs::publish_trial(*options));
  };
}

}  // namespace

extern const CommandRecord trial_publish_command = {"trial publish",
                                                    "two parties: what participants get, and the commitment", add};

}  // namespace scvet::cli
