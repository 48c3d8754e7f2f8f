#include <cstdio>
#include <memory>

#include "command.h"
#include "trial_flags.h"

namespace scvet::cli {
namespace {

std::function<void()> add(CLI::App& app, const CommonFlags&) {
  const auto options = std::make_shared<jobs::TrialAddArmOptions>();
  add_place_flags(app, options->place);
  add_arm_flags(app, options->arm);
  add_embedding_flags(app, options->embedding);
  app.add_option("--counts", options->counts, "the screen, where it moved since lock");
  add_injection_flags(app, options->injection);
  app.footer(
      std::string("Registers another representation under the same lock: its role and extraction record are "
                  "stated before its test,\nand it claims a protocol-preserving extension only.\n"
                  "Example:\n"
                  "  scvet trial add-arm --trial trials/rpe1 --arm uce --embedding uce.h5ad --extraction uce.json\n") +
      kTrialExits);
  return [options] {
    jobs::add_trial_arm(*options);
    std::printf("arm %s registered as %s\n", options->arm.name.c_str(), options->arm.role.c_str());
  };
}

}  // namespace

extern const CommandRecord trial_add_arm_command = {"trial add-arm", "another representation under the same lock", add};

}  // namespace scvet::cli
