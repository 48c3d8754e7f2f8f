#include "scvet/jobs/embed.h"

#include "command.h"
#include "task_flags.h"

namespace scvet::cli {
namespace {

struct Flags {
  jobs::EmbedOptions options;
  std::string values = "counts";
  CLI::Option* batch_key = nullptr;
  std::vector<std::pair<std::string, std::string>> parameters;  // name, value
};

void add_parameters(CLI::App& app, Flags& flags) {
  for (const jobs::EmbedParameter& parameter : jobs::embed_parameters())
    flags.parameters.emplace_back(parameter.name, "");
  std::size_t at = 0;
  for (const jobs::EmbedParameter& parameter : jobs::embed_parameters()) {
    std::string spelling = parameter.name;
    std::replace(spelling.begin(), spelling.end(), '_', '-');
    // Those of methods that this version does not have are taken, so that scripts need no edit, and not advertised.
    app.add_option("--" + spelling, flags.parameters[at++].second, parameter.help)
        ->group(parameter.help.empty() ? "" : "Parameters of methods");
  }
}

void add_external(CLI::App& app, jobs::ExternalOptions& external) {
  const char* const kGroup = "With --method external";
  app.add_option("--name", external.name, "how folders and tables call your program")->group(kGroup);
  app.add_option(
         "--command", external.command,
         "command line for /bin/sh; {input} {output} {seed} {threads} {batch_key} {label_key} {model} {run_dir} "
         "stand for their values, as do $SCVET_INPUT, $SCVET_OUTPUT, ...")
      ->group(kGroup);
  app.add_option("--output-format", external.output,
                 "what it writes: h5ad, npy (names in {output}.names), parquet, csv")
      ->check(CLI::IsMember({"h5ad", "npy", "parquet", "csv"}))
      ->capture_default_str()
      ->group(kGroup);
  app.add_option("--timeout", external.timeout, "seconds until it is ended")
      ->check(CLI::NonNegativeNumber)
      ->group(kGroup);
  app.add_option("--memory-limit", external.memory_mib, "MiB of address space of each of its processes")
      ->check(CLI::NonNegativeNumber)
      ->group(kGroup);
}

std::function<void()> add(CLI::App& app, const CommonFlags& common) {
  auto flags = std::make_shared<Flags>();
  jobs::EmbedOptions& options = flags->options;
  app.add_option("--method", options.method, "one of 'scvet list methods', in any case; external: a program of yours")
      ->required();
  app.add_option("--data", options.data, "files, folders (their *.h5ad) or patterns; each file is a run of its own")
      ->required();
  flags->batch_key =
      app.add_option("--batch-key", options.batch_key, "obs column of batches, for methods that use them")
          ->capture_default_str();
  app.add_option("--label-key", options.label_key, "obs column of cell types, for controls that use them")
      ->capture_default_str();
  app.add_option("--model", options.model, "name below the weights folder, or a path; for methods with a network");
  app.add_option("--batch-size", options.batch_size, "cells per network call; no effect on methods without a network");
  app.add_option("--layer", options.layer, "layer to read in place of X");
  app.add_option("--values", flags->values, "counts, or as-is: take values that are no counts all the same")
      ->check(CLI::IsMember({"counts", "as-is"}))
      ->capture_default_str();
  add_parameters(app, *flags);
  add_external(app, options.external);
  const std::shared_ptr<TaskFlags> task = add_task_flags(app);
  app.footer(
      R"(Cells to an embedding, one row a cell, in the file's order. A cell that a method cannot embed is NaN, and obs
scvet_missing_reason says why. What is complete and unchanged is not computed again (--force does).

Examples:
  scvet embed --method pca --data prepared/lung.h5ad
  for m in pca hvg random oracle; do scvet embed --method $m --data prepared/; done
  scvet embed --method external --name mynet --data prepared/ --timeout 3600 \
        --command 'python3 mynet.py {input} {output} --seed {seed}'

Writes <outdir>/embeddings/<method>/<stem>.h5ad (X: cells x dimensions, float32; var V1, V2, ...; obs as in the file)
and the run's record <workspace>/runs/embed/<run>/ (outside a workspace: <outdir>/runs/embed/<run>/).
Exit codes: 0 done or unchanged, 2 wrong flag or column, 3 data, 5 a program of yours failed, 6 limits and resources,
130 interrupted. With several files the highest code of a failed run; the others are done.)");
  return [flags, task, &common] {
    jobs::EmbedOptions& chosen = flags->options;
    chosen.task = task_options(*task, common);
    chosen.seed = common.seed;
    chosen.as_is = flags->values == "as-is";
    chosen.batch_key_given = flags->batch_key->count() > 0;
    for (const auto& [name, value] : flags->parameters)
      if (!value.empty()) chosen.parameters[name] = value;
    show_outcomes(jobs::embed_files(chosen));
  };
}

}  // namespace

extern const CommandRecord embed_command = {"embed", "cells to embeddings: methods, controls, programs of your own",
                                            add};

}  // namespace scvet::cli
