#include "scvet/jobs/prepare.h"
#include "command.h"
#include "scvet/base/error.h"
#include "scvet/base/text.h"
#include "task_flags.h"

namespace scvet::cli {
namespace {

std::function<void()> add(CLI::App& app, const CommonFlags& common) {
  struct Flags {
    jobs::PrepareOptions options;
    std::string batch_from = "assay,donor_id";
    std::vector<std::string> max_per;
    bool drop_versioned = false;
  };
  auto flags = std::make_shared<Flags>();
  const std::shared_ptr<TaskFlags> task = add_task_flags(app);
  jobs::PrepareOptions& options = flags->options;
  app.add_option("--data", options.data, "files, folders of h5ad files, or patterns; any format that inspect reads")
      ->required();
  CLI::Option* symbols =
      app.add_option("--symbol-key", options.symbol_key, "var column of gene symbols")->capture_default_str();
  CLI::Option* keep = app.add_flag("--keep-versioned", options.keep_versioned,
                                   "keep names that only end in .N, as RP11-34P13.7, where they are the symbol");
  app.add_flag("--drop-versioned", flags->drop_versioned, "take the Ensembl id in their place (the default)")
      ->excludes(keep);
  CLI::Option* batch = app.add_option("--batch-from", flags->batch_from,
                                      "obs columns whose values, joined by '|', become batch_id; comma-separated")
                           ->capture_default_str();
  app.add_option("--label-key", options.label_key, "obs column of cell types")->capture_default_str();
  app.add_flag("--overwrite-obs", options.overwrite_obs, "replace obs barcode or batch_id where they differ");
  app.add_option("--subsample", options.subsample,
                 "also draw this many cells, in proportion to the labels, by --seed (default: all cells)")
      ->check(CLI::PositiveNumber);
  app.add_option("--max-per", flags->max_per,
                 "also draw at most so many cells of each value of an obs column: cell_type=1500");
  app.add_option("--genome", options.genome, "10x h5 with several genomes: this one");
  app.add_option("--modality", options.modality, "h5mu: this modality");
  app.footer(R"(Files as the benchmark wants them. Only names and columns change: var index and gene_symbol become the
symbol, or the Ensembl id where the symbol is empty, an id itself, or only ends in .N; obs gets barcode and batch_id; raw
is dropped. Every other object is copied as it is, X byte for byte. Repeated names are an error that lists them.

Examples:
  scvet prepare --data raw/*.h5ad
  scvet prepare --data raw/ --outdir prepared --batch-from assay,donor_id
  scvet prepare --data prepared/lung.h5ad --outdir small --subsample 10000 --max-per cell_type=1500 --seed 1

Writes <outdir>/<stem>.h5ad and <outdir>/<stem>_prepare.json (what changed, with digests); --outdir is prepared by default.
Exit codes: 0 done, 2 wrong flag or column, 3 a file that cannot be prepared (the others are done), 6 resources.)");
  return [flags, task, symbols, batch, &common] {
    jobs::PrepareOptions& chosen = flags->options;
    chosen.symbol_key_given = symbols->count() > 0;
    chosen.batch_from_given = batch->count() > 0;
    chosen.batch_from.clear();
    for (const std::string& name : split(flags->batch_from, ','))
      if (!trim(name).empty()) chosen.batch_from.emplace_back(trim(name));
    if (chosen.batch_from.empty()) throw UsageError("--batch-from names no column of obs", {.field = "--batch-from"});
    for (const std::string& text : flags->max_per)
      chosen.max_per.push_back(jobs::parse_cell_cap(text, chosen.label_key));
    chosen.seed = common.seed;
    show_outcomes(jobs::run_prepare(task_options(*task, common), chosen));
  };
}

}  // namespace

extern const CommandRecord prepare_command = {
    "prepare", "gene names, barcodes and batches as the benchmark wants them; values untouched", add};

}  // namespace scvet::cli
