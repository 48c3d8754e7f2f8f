#include <cstdio>
#include <memory>

#include "command.h"
#include "scvet/base/error.h"
#include "trial_flags.h"

namespace scvet::cli {
namespace {

std::function<void()> add(CLI::App& app, const CommonFlags&) {
  const auto options = std::make_shared<jobs::TrialVerifyOptions>();
  const auto embeddings = std::make_shared<std::vector<std::string>>();
  add_place_flags(app, options->place);
  app.add_option("--level", options->level,
                 "1 integrity of the folder, 2 recomputed from the inputs, 3 trained again as well")
      ->check(CLI::Range(1, 3))
      ->capture_default_str();
  app.add_flag("--full", options->full, "level 3, and the SHA-256 of the raw file");
  app.add_option("--counts", options->counts, "the screen, where it moved since lock");
  app.add_option("--embedding", *embeddings, "ARM=FILE: an arm's embedding, where it moved");
  app.footer(
      std::string("Anyone can run it: level 1 needs the folder only, levels 2 and 3 the counts and the embeddings.\n"
                  "Examples:\n"
                  "  scvet trial verify --trial trials/rpe1\n"
                  "  scvet trial verify --trial trials/rpe1 --full --counts rpe1.h5ad\n") +
      kTrialExits);
  return [options, embeddings] {
    for (const std::string& text : *embeddings) {
      const std::size_t equals = text.find('=');
      if (equals == std::string::npos)
        throw UsageError("--embedding expects ARM=FILE, found '" + text + "'", {.field = "embedding"});
      options->embeddings.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    }
    const jobs::TrialVerifyResult result = jobs::verify_trial(*options);
    for (const jobs::TrialCheck& check : result.checks)
      std::printf("%-4s %-44s %s\n", check.passed ? "ok" : "FAIL", check.what.c_str(), check.detail.c_str());
    if (!result.passed()) throw LockError("the trial does not verify: see the lines marked FAIL");
    std::printf("verified\n");
  };
}

}  // namespace

extern const CommandRecord trial_verify_command = {"trial verify", "recompute a trial from its manifest and inputs",
                                                   add};

}  // namespace scvet::cli
