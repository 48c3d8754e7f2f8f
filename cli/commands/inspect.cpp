#include <cstdio>
#include <memory>

#include "command.h"
#include "scvet/base/error.h"
#include "scvet/jobs/inspect.h"

namespace scvet::cli {
namespace {

std::function<void()> add(CLI::App& app, const CommonFlags&) {
  struct Flags {
    jobs::InspectOptions options;
    bool json = false;
  };
  auto flags = std::make_shared<Flags>();
  app.add_option(
         "FILE", flags->options.path,
         "h5ad, zarr (folder or zip), h5mu, loom, 10x h5, 10x mtx folder, Hugging Face data set, Arrow or parquet file, a table (tsv, csv, gzipped or zipped), or a pickle of tokens or medians")
      ->required();
  app.add_flag("--json", flags->json, "one JSON object instead of a page");
  app.add_option("--genome", flags->options.genome, "10x h5 with several genomes: only this one");
  app.add_option("--modality", flags->options.modality, "h5mu: only this modality");
  app.add_option("--dictionary", flags->options.dictionary,
                 "token lists: names the tokens (a token dictionary, or the folder of one); parquet of counts: the "
                 "gene_metadata table");
  app.footer(
      "Says what is in the file: shapes, which matrices hold counts, normalised, logged or scaled values and why, "
      "cells\n"
      "and genes, identifiers and organism, columns of obs. Odd content (repeated names, NaN, fractions) is reported, "
      "not\n"
      "refused; nothing is written.\n"
      "Examples:\n  scvet inspect lung.h5ad\n  scvet inspect filtered_feature_bc_matrix/ --json\n"
      "Exit codes: 0 read; 2 wrong flags; 3 the file, or a part of it, cannot be read (what can be read is still "
      "shown).");
  return [flags] {
    const jobs::InspectResult result = jobs::inspect(flags->options);
    const std::string text = flags->json ? jobs::inspect_json(result) : jobs::inspect_text(result);
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
    if (!result.faults.empty()) throw DataError(result.faults.front(), {.file = result.path, .reason = "damaged"});
  };
}

}  // namespace

extern const CommandRecord inspect_command = {"inspect", "what is in a file: shapes, values, genes, columns", add};

}  // namespace scvet::cli
