// scvet corpus build: fingerprints of many files into one store.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "command.h"
#include "scvet/base/text.h"
#include "scvet/jobs/corpus.h"

namespace scvet::cli {
namespace {

struct Flags {
  jobs::CorpusBuildOptions options;
  std::string values = "counts", duplicate_genes = "refuse";
};

void run(const Flags& flags, const CommonFlags& common) {
  jobs::CorpusBuildOptions options = flags.options;
  options.input.as_is = jobs::parse_values_as_is(flags.values);
  options.input.duplicate_genes = jobs::parse_duplicate_genes(flags.duplicate_genes);
  options.seed = common.seed;
  options.force = common.force;
  const jobs::CorpusBuildResult result = jobs::build_corpus(options);
  if (result.unchanged)
    fmt::print("{}: complete and unchanged since an earlier run ({} cells); --force builds it again\n", result.path,
               format_count(result.n_cells));
  else
    fmt::print("{}: {} cells of {} {} ({} added)\nrun record: {}\n", result.path, format_count(result.n_cells),
               result.n_sources, result.n_sources == 1 ? "file" : "files", format_count(result.n_added),
               result.run_folder);
}

std::function<void()> add(CLI::App& app, const CommonFlags& common) {
  const auto flags = std::make_shared<Flags>();
  jobs::CorpusBuildOptions& options = flags->options;
  app.add_option("INPUT", options.inputs,
                 "files or folders of cells (h5ad, zarr, h5mu, 10x, token lists, ...), or stores to merge")
      ->required();
  app.add_option("--out", options.out, "the store to write: FILE.corpus")->required();
  app.add_option("--name", options.name, "name of the corpus, for its card");
  app.add_option("--cutoff", options.cutoff, "last month of data that went in, YYYY-MM");
  app.add_option("--card", options.card, "JSON with name, version, cutoff, sources, inclusion, exclusions");
  app.add_option("--dictionary", options.dictionary,
                 "the model's dictionary: folder of token and median pickles, a pickle of tokens, or a file of gene, "
                 "token, median; names the tokens of token lists (for parquet counts: their gene metadata)");
  app.add_option("--vocabulary", options.vocabulary,
                 "universe (all genes, the default without --dictionary); geneformer-v1 or geneformer-v2: --dictionary "
                 "must be of that kind; or a file of gene, token, median");
  app.add_option("--fingerprint", options.fingerprint,
                 "topk (default with a dictionary) or positive (default without)");
  app.add_option("--top-k", options.top_k, "genes kept a cell by topk (default: 2048, Geneformer V2: 4094)")
      ->check(CLI::PositiveNumber);
  app.add_option("--gene-key", options.input.gene_key, "var column with the gene names (default: found)");
  app.add_option("--gene-table", options.gene_table,
                 "table of Ensembl ids and symbols (default: the one that set-up made)");
  app.add_option("--donor-key", options.donor_key, "obs column with the donor (default: donor_id where present)");
  app.add_option("--dataset-key", options.dataset_key,
                 "obs column with the data set (default: dataset_id where present, else the file's name)");
  app.add_option("--layer", options.input.layer, "layer with the counts (default: raw, else X)");
  app.add_option("--genome", options.input.genome, "genome of a 10x file that has several");
  app.add_option("--modality", options.input.modality, "modality of an h5mu file that has several");
  app.add_option("--organism", options.input.organism, "overrides what the gene names say");
  app.add_option("--values", flags->values, "counts, or as-is: gene sets alone where a file has no counts")
      ->capture_default_str();
  app.add_option("--duplicate-genes", flags->duplicate_genes, "refuse, sum or suffix")->capture_default_str();
  app.add_flag("--primary-only", options.input.primary_only, "only cells whose is_primary_data is true");
  app.add_flag("--append", options.append, "add to the store; files that it holds already are passed over");
  app.footer(
      "Outputs: FILE.corpus, and the record of the run in FILE.corpus.run/ (run.json, log.txt, corpus.json).\n"
      "Nothing is half-written: a new store appears when it is complete, and with --append each file is added\n"
      "whole, so a run that was stopped goes on where it was.\n"
      "Examples:\n"
      "  scvet corpus build --out lung.corpus --name \"Lung atlases\" --cutoff 2021-06 atlases/\n"
      "  scvet corpus build --out lung.corpus --append new.h5ad\n"
      "  scvet corpus build --out all.corpus lung.corpus heart.corpus\n"
      "  scvet corpus build --out v1.corpus genecorpus_30M_2048.dataset --dictionary geneformer_v1/ \\\n"
      "    --vocabulary geneformer-v1\n"
      "Exit codes: 0 done, 2 wrong flags or columns, 3 data, 6 disk or another writer, 130 interrupted.");
  return [flags, &common] { run(*flags, common); };
}

}  // namespace

extern const CommandRecord corpus_build_command = {"corpus build", "build, append to or merge a corpus of fingerprints",
                                                   add};

}  // namespace scvet::cli
