#include <cstdio>
#include <memory>

#include "command.h"
#include "scvet/base/text.h"
#include "trial_flags.h"

namespace scvet::cli {
namespace {

std::function<void()> add(CLI::App& app, const CommonFlags& common) {
  const auto options = std::make_shared<jobs::TrialPrepareOptions>();
  add_counts_flags(app, options->counts);
  app.add_option("--min-cells", options->min_cells, "fewest cells of a row")->capture_default_str();
  add_embedding_flags(app, options->embedding);
  app.footer(
      std::string("Looks at a screen before anything is locked: rows, eligibility, features, and what lock would "
                  "refuse. No label is\ncomputed or shown.\n"
                  "Outputs (results/trial-prepare or --outdir): rows.tsv, genes.txt, x_delta.npy, x_unit_delta.npy, "
                  "mag.npy, z_emb.npy,\nnull_rows.tsv, prepare.json.\n"
                  "Example:\n"
                  "  scvet trial prepare --counts screen.h5ad --obsm X_scgpt\n") +
      kTrialExits);
  return [options, &common] {
    options->outdir = common.outdir;
    options->seed = common.seed;
    options->force = common.force;
    const jobs::TrialPrepareResult result = jobs::prepare_trial(*options);
    if (result.already_complete) std::printf("complete and unchanged (use --force to compute again)\n");
    std::printf("cells %s, genes %s, control cells %s\nrows %s of %s target genes, %s eligible\n",
                format_count(result.n_cells).c_str(), format_count(result.n_genes).c_str(),
                format_count(result.n_nt).c_str(), format_count(result.n_rows).c_str(),
                format_count(result.n_targets).c_str(), format_count(result.n_eligible).c_str());
    for (const std::string& finding : result.findings) std::printf("%s\n", finding.c_str());
    std::printf("outputs: %s\n", result.folder.c_str());
  };
}

}  // namespace

extern const CommandRecord trial_prepare_command = {"trial prepare",
                                                    "rows, eligibility and features of a screen, without labels", add};

}  // namespace scvet::cli
