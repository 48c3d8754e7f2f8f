#include <memory>

#include "command.h"
#include "trial_flags.h"

namespace scvet::cli {
namespace {

std::function<void()> add(CLI::App& app, const CommonFlags&) {
  const auto options = std::make_shared<jobs::TrialSanityOptions>();
  add_place_flags(app, options->place);
  app.add_option("--arm", options->arm, "name of the arm (default: the only one)");
  add_embedding_flags(app, options->embedding);
  app.add_option("--reextract", options->reextract, "embed that many cells again, from their counts alone (200)");
  app.add_option("--encoder", options->encoder,
                 "command for --reextract; {input} is an h5ad of counts, {output} the h5ad whose X it must write");
  add_injection_flags(app, options->injection);
  app.footer(
      std::string("Trains everything twice on train rows and demands equal bits on train and val. The test stays "
                  "closed.\n"
                  "Examples:\n"
                  "  scvet trial sanity --trial trials/rpe1\n"
                  "  scvet trial sanity --trial trials/rpe1 --reextract 200 --encoder 'embed.sh {input} {output}'\n") +
      kTrialExits);
  return [options] { print_stage(jobs::check_trial(*options)); };
}

}  // namespace

extern const CommandRecord trial_sanity_command = {"trial sanity",
                                                   "train twice without the test; both must agree in every bit", add};

}  // namespace scvet::cli
