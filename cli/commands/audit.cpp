#include "scvet/jobs/audit.h"
#include "command.h"
#include "scvet/base/error.h"
#include "scvet/base/log.h"
#include "scvet/base/registry.h"
#include "scvet/base/text.h"

namespace scvet::cli {
namespace {

std::function<void()> add_audit(CLI::App& app, const CommonFlags& common) {
  struct Flags {
    jobs::AuditJobOptions options;
    std::string fail_on;
  };
  auto flags = std::make_shared<Flags>();
  jobs::AuditJobOptions& options = flags->options;
  app.add_option(
         "--benchmark", options.benchmarks,
         "benchmark files: h5ad, zarr, h5mu, loom, 10x h5, 10x mtx folder, Hugging Face data set, Arrow or parquet file")
      ->required();
  app.add_option("--corpus", options.corpora, "corpus files made by 'scvet corpus build'")->required();
  CLI::Option* engine =
      app.add_option("--engine", options.engine, "search engine: " + join(variant_names(sketch::engines()), ", "))
          ->capture_default_str();
  CLI::Option* null = app.add_option("--null", options.nulls,
                                     "null models beside the identity tests: " + join(jobs::null_names(), ", "))
                          ->capture_default_str();
  app.add_flag("--paper", options.paper,
               "the published recipe: engine lsh, null uniform, p < 0.05; never a test of membership");
  app.add_flag("--sensitivity", options.sensitivity,
               "the sensitivity table on all references, with more seeds and reference sizes (slow)");
  app.add_option("--max-copies", options.max_copies,
                 "largest number of copies of one cell that same_cell can see (3: more power on small panels)")
      ->check(CLI::Range(1, audit::kMaxCopies))
      ->capture_default_str();
  app.add_option("--fingerprint", options.fingerprint, "topk or positive (default: as the corpus was built)");
  app.add_option("--top-k", options.top_k, "genes kept per cell under topk (default: as the corpus was built)");
  app.add_option("--vocabulary", options.vocabulary,
                 "geneformer-v1, geneformer-v2, universe or a dictionary: what the corpus must have been built with");
  app.add_option(
      "--dictionary", options.dictionary,
      "names the tokens of a token list (default: the corpus' own); for parquet counts: their gene metadata");
  app.add_option("--min-genes", options.min_genes, "fewest genes for the distribution questions")
      ->capture_default_str();
  app.add_option("--thinning", options.thinning,
                 "share of molecules kept by the plants that the verdict's power is read off")
      ->check(CLI::IsMember({1.0, .7, .5, .3, .2}))
      ->capture_default_str();
  app.add_option("--clear-below", options.clear_below, "largest share of members that may still be called cleared")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  CLI::Option* label =
      app.add_option("--label-key", options.label_key, "obs column of cell types")->capture_default_str();
  CLI::Option* donor = app.add_option("--donor-key", options.donor_key, "obs column of donors")->capture_default_str();
  CLI::Option* batch = app.add_option("--batch-key", options.batch_key, "obs column of batches")->capture_default_str();
  app.add_option("--dataset-key", options.dataset_key, "obs column that splits a file into data sets");
  app.add_option("--released", options.released, "month in which the benchmark became public, YYYY-MM");
  app.add_option("--organism", options.organism, "organism of the benchmark, where its gene names leave doubt");
  app.add_option("--gene-key", options.gene_key, "var column of gene identifiers (default: the index)");
  app.add_option("--gene-table", options.gene_table,
                 "table of Ensembl ids and symbols (default: the one that set-up made)");
  app.add_option("--layer", options.layer, "layer that holds the counts");
  app.add_option("--genome", options.genome, "genome of a 10x file that has several");
  app.add_option("--modality", options.modality, "modality of an h5mu file that has several");
  app.add_option("--values", options.values, "counts, or as-is for data without counts")
      ->check(CLI::IsMember({"counts", "as-is"}))
      ->capture_default_str();
  app.add_option("--duplicate-genes", options.duplicate_genes, "refuse, sum or suffix")
      ->check(CLI::IsMember({"refuse", "sum", "suffix"}))
      ->capture_default_str();
  app.add_flag("--write-clean", options.write_clean, "also write an h5ad of the clean cells");
  app.add_option("--fail-on", flags->fail_on, "exit 1 when a data set is exposed")->check(CLI::IsMember({"exposed"}));
  app.footer(R"(Was this benchmark in the corpus? Every cell is compared with every corpus cell; each report first shows
what this run could have found in your own data (planted copies) and what it flags wrongly (your cells against a
held-apart part of themselves).

Examples:
  scvet corpus build --out blood.corpus pretraining/*.h5ad --name "Blood atlas" --cutoff 2021-06
  scvet audit --benchmark pbmc.h5ad --corpus blood.corpus --released 2023-02
  scvet audit --benchmark a.h5ad b.h5ad --corpus blood.corpus --fail-on exposed
  scvet audit --benchmark pbmc.h5ad --corpus blood.corpus --paper

Writes to results/audit/<stem> (or --outdir): report.html, cells.csv, cells.parquet, audit.json, clean_cells.txt,
<stem>.h5ad with the audit in obs (scvet_*), run.json, log.txt.
Exit codes: 0 done, 1 exposed (with --fail-on exposed), 2 wrong flag or column, 3 data, 6 resources.)");
  return [flags, label, donor, batch, engine, null, &common] {
    jobs::AuditJobOptions& chosen = flags->options;
    chosen.outdir = common.outdir;
    chosen.seed = common.seed;
    chosen.force = common.force;
    chosen.engine_given = engine->count() > 0;
    chosen.null_given = null->count() > 0;
    chosen.label_key_given = label->count() > 0;
    chosen.donor_key_given = donor->count() > 0;
    chosen.batch_key_given = batch->count() > 0;
    const jobs::AuditJobResult result = jobs::run_audit(chosen);
    for (std::size_t set = 0; set < result.names.size(); ++set)
      std::printf("%s: %s\n", result.names[set].c_str(), result.sentences[set].c_str());
    for (std::size_t set = 0; set < result.summaries.size(); ++set)
      std::printf("%s: %s\n", result.names[set].c_str(), result.summaries[set].c_str());
    std::printf("report: %s\n", result.report.c_str());
    if (flags->fail_on == "exposed" && result.exposed) throw Finding("exposed: cells of a benchmark are in the corpus");
  };
}

}  // namespace

extern const CommandRecord audit_command = {
    "audit", "has the model seen this benchmark? compare its cells with a pretraining corpus", add_audit};

}  // namespace scvet::cli
