#include "scvet/jobs/check.h"
#include "command.h"
#include "scvet/base/error.h"
#include "scvet/base/text.h"
#include "task_flags.h"

namespace scvet::cli {
namespace {

std::function<void()> add(CLI::App& app, const CommonFlags& common) {
  struct Flags {
    jobs::CheckOptions options;
    bool strict = false;
  };
  auto flags = std::make_shared<Flags>();
  const std::shared_ptr<TaskFlags> task = add_task_flags(app);
  jobs::CheckOptions& options = flags->options;
  app.add_option("--data", options.data, "files, folders of h5ad files, or patterns; any format that inspect reads")
      ->required();
  app.add_option("--method", options.method, "what this method needs of a file (default: any)");
  app.add_option("--label-key", options.label_key, "obs column of cell types")->capture_default_str();
  app.add_option("--batch-key", options.batch_key, "obs column of batches")->capture_default_str();
  app.add_option("--role", options.role, "reference or query: what transfer needs of a file");
  app.add_option(
      "--vocabulary", options.vocabularies,
      "gene vocabularies to measure the file against: a token dictionary (its folder, pickle or text form), or "
      "JSON whose keys are genes");
  app.add_flag("--strict", flags->strict, "exit 3 when a file has a FAIL");
  app.add_option("--genome", options.genome, "10x h5 with several genomes: this one");
  app.add_option("--modality", options.modality, "h5mu: this modality");
  app.footer(
      R"(Says before the hours of computing what is wrong with a file: a line a test, OK, INFO, WARN or FAIL. Reads
all of X once and changes nothing. Lines that begin with '+' are scvet's own; the rest is the peer's report.

Examples:
  scvet check --data prepared/
  scvet check --data lung.h5ad --method geneformer --vocabulary token_dictionary.pkl
  scvet check --data 'prepared/*.h5ad' --strict

Writes <outdir>/check/<stem>_check.txt and .json; the texts also go to stdout.
Exit codes: 0 whatever the report says, 2 wrong flag or a path that is not there, 3 a FAIL (with --strict).)");
  return [flags, task, &common] {
    const jobs::CheckResult result = jobs::run_check(task_options(*task, common), flags->options);
    show_outcomes(result.outcomes);
    if (flags->strict && !result.failed.empty())
      throw DataError("check: " + format_count(static_cast<std::int64_t>(result.failed.size())) + " of " +
                          format_count(static_cast<std::int64_t>(result.outcomes.size())) +
                          " files have a FAIL: " + join_some(result.failed),
                      {.reason = "check_failed"});
  };
}

}  // namespace

extern const CommandRecord check_command = {"check", "is a file ready to be embedded? a line a test", add};

}  // namespace scvet::cli
