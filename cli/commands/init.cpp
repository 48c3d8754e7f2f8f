#include <cstdio>
#include <memory>

#include "command.h"
#include "scvet/jobs/workspace_text.h"

namespace scvet::cli {
namespace {

std::function<void()> add(CLI::App& app, const CommonFlags& common) {
  struct Flags {
    jobs::InitOptions options;
    bool json = false;
  };
  auto flags = std::make_shared<Flags>();
  app.add_option("DIR", flags->options.folder, "folder that becomes a workspace (default: the current one)");
  app.add_option("--runtime", flags->options.runtime, "accepted and noted: containers are not used")
      ->check(CLI::IsMember({"apptainer", "singularity", "docker"}));
  app.add_option("--gpu-id", flags->options.gpu, "accepted and noted");
  app.add_option("--nextflow", flags->options.nextflow, "accepted and noted: no workflow engine is used")
      ->expected(0, 1);
  app.add_flag("--json", flags->json, "one JSON object instead of text");
  app.footer(
      R"(Makes .scvet.json, data/model_weights/, cache/, results/ and runs/, and says what the machine has. No command needs
a workspace; inside one, results and records have their places, and repeated runs find what is done.

Examples:
  scvet init atlas && cd atlas
  scvet init --force
Exit codes: 0 done, 2 the folder is a workspace already or holds a nextflow.config (--force goes on), 6 cannot write.)");
  return [flags, &common] {
    flags->options.force = common.force;
    const jobs::InitResult result = jobs::init_workspace(flags->options);
    std::fputs((flags->json ? jobs::init_json(result) : jobs::init_text(result)).c_str(), stdout);
  };
}

}  // namespace

extern const CommandRecord init_command = {"init", "make a workspace: a marker and the places of data and results",
                                           add};

}  // namespace scvet::cli
