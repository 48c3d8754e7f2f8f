#include "scvet/jobs/geometry.h"

#include <cstdio>
#include <memory>

#include "command.h"
#include "task_flags.h"

namespace scvet::cli {
namespace {

std::function<void()> add(CLI::App& app, const CommonFlags& common) {
  const auto options = std::make_shared<jobs::GeometryOptions>();
  app.add_option("--embedding", options->embedding, "embedding files, a folder of .h5ad, or a quoted pattern")
      ->required();
  app.add_option("--data", options->data, "the raw counts they were made from: files, a folder or a pattern")
      ->required();
  app.add_option("--method", options->method, "label in tables and names (default: the embeddings' folder)");
  app.add_option("--label-key", options->label_key, "obs column of cell types")->capture_default_str();
  app.add_option("--batch-key", options->batch_key, "obs column of batches")->capture_default_str();
  app.add_option("--max-cells", options->max_cells, "more cells than this: a seeded draw of so many; 0: all")
      ->capture_default_str();
  app.add_option("--n-genes", options->n_genes, "variable genes of the reference graph of R_NX")->capture_default_str();
  const auto flags = add_task_flags(app);
  CLI::Option* const seed = app.get_option("--seed");
  seed->default_str("0");
  app.footer(
      "How an embedding lies in its space, beside the counts it was made from: how many directions it uses (pr, npr),\n"
      "how narrow a cone it fills (aniso_spec, aniso_cos within and between cell types), its intrinsic dimension\n"
      "(id_twonn), whether neighbours in expression stay neighbours (rnx), and what share of its variance cell type and\n"
      "batch explain (partial_eta2). Nearest neighbours are exact at any size. docs/geometry.md explains each column.\n"
      "Embedding and counts are paired by file name (one of each is a pair whatever the names), their cells by name.\n"
      "A cell that is NaN in every dimension is left out and counted in the notes; a cell that is NaN in some, or\n"
      "infinite, fails the row.\n"
      "Outputs under results (or --outdir): geometry/<method>/<file>_<method>.csv, the same for each batch in\n"
      "..._rnx_batches.csv, and <method>_geometry.csv with all rows. A pair that is complete and unchanged is not\n"
      "computed again.\n"
      "Examples:\n"
      "  scvet geometry --embedding results/embeddings/pca --data prepared/\n"
      "  scvet geometry --embedding pca/lung.h5ad --data prepared/lung.h5ad --label-key cell_ontology_class\n"
      "Exit codes: 0 every row completed; 2 wrong flags, or an embedding without counts of its name; 3 a row failed\n"
      "(all tables are written, and say why); 130 interrupted.");
  return [options, flags, seed, &common] {
    options->task = task_options(*flags, common);
    options->seed = seed->count() ? static_cast<std::int64_t>(common.seed) : 0;
    const jobs::GeometryResult result = jobs::geometry(*options);
    if (!result.table.empty()) std::printf("table: %s\n", result.table.c_str());
    if (!result.page.empty()) std::printf("report: %s\n", result.page.c_str());
    show_outcomes(result.outcomes);
  };
}

}  // namespace

extern const CommandRecord geometry_command = {"geometry", "how embeddings lie in their space, beside their counts",
                                               add};

}  // namespace scvet::cli
