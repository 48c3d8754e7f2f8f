#include <cstdio>
#include <memory>

#include "command.h"
#include "scvet/base/error.h"
#include "scvet/base/text.h"
#include "scvet/jobs/benchmark.h"
#include "task_flags.h"

namespace scvet::cli {
namespace {

void add_scoring_flags(CLI::App& app, jobs::BenchmarkOptions& options) {
  app.add_option("--label-key", options.label_key, "obs column of the cell types")->capture_default_str();
  app.add_option("--batch-key", options.batch_key, "obs column of the batches; giving it turns the batch metrics on");
  app.add_option("--metrics", options.metrics, "bio, batch or all (default: all with --batch-key, else bio)");
  app.add_option("--clustering", options.clustering, "leiden or kmeans: what NMI, HOM, COM, FMI and ARI compare with")
      ->capture_default_str();
  app.add_option("--selection", options.selection,
                 "which run of the Leiden scan: match_labels (as many clusters as labels) or best_nmi")
      ->capture_default_str();
  app.add_option("--kbet", options.kbet,
                 "component limit of kBET: reset for every label, or peer: carried over from label to label")
      ->capture_default_str();
  app.add_option("--batch-max-cells", options.batch_max_cells,
                 "batch metrics on a stratified subsample of so many cells; 0: all")
      ->capture_default_str();
  app.add_flag("--extra", options.extra,
               "also the unranked metrics (isolated labels, PCR comparison, scGraph), in a table of their own");
  app.add_option("--data", options.data, "raw counts of the same cells, for --extra: files, folders or globs");
  app.add_flag("--details", options.details, "also the values of each label and each cell, as tables");
  app.add_flag("--peer-wide", options.peer_wide, "leave samples without any value out of the wide tables");
  app.add_flag("--no-cache", options.no_cache, "compute neighbours anew, and keep none");
}

std::function<void()> add(CLI::App& app, const CommonFlags& common) {
  auto options = std::make_shared<jobs::BenchmarkOptions>();
  app.add_option("--embedding", options->embeddings, "embedding files (X: cells x dimensions), folders or globs")
      ->required();
  app.add_option("--method", options->method, "name in the tables (default: the folder's name)");
  add_scoring_flags(app, *options);
  const auto flags = add_task_flags(app);
  app.footer(
      "Scores embeddings against cell types and batches: NMI, HOM, COM, FMI, ARI, ASW, cLISI, Acc@kNN, GC; kBET, BRAS,\n"
      "iLISI, CiLISI. Neighbours are exact. An undefined value is an empty field with its reason beside it.\n"
      "Tables, under <results>/benchmark: one a sample, long and wide ones over all samples of this call, the cluster\n"
      "labels, <method>_metric_versions.csv (which definition gave each value, its range and chance value), and\n"
      "report.html: every method whose tables lie there, on one page.\n"
      "Cells without a label are left out; so are those without a batch when batch metrics are asked for; so are cells\n"
      "that the method could not embed (all NaN; note dropped_nan_rows=...).\n"
      "Examples:\n"
      "  scvet benchmark --embedding results/embeddings/pca --batch-key batch_id\n"
      "  scvet benchmark --embedding 'runs/*/lung.h5ad' --method mine --metrics bio --clustering kmeans\n"
      "  scvet benchmark --embedding results/embeddings/pca --batch-key batch_id --extra --data prepared/ --details\n"
      "Exit codes: 0 done; 2 wrong flags or columns; 3 a file could not be scored, or a metric failed on it (the\n"
      "others are scored and all tables written); 6 disk; 130 interrupted.");
  return [options, flags, &common] {
    options->task = task_options(*flags, common);
    options->seed = common.seed;
    const jobs::BenchmarkResult result = jobs::benchmark(*options);
    for (const std::string& path : result.tables) std::printf("%s\n", path.c_str());
    if (!result.page.empty()) std::printf("report: %s\n", result.page.c_str());
    show_outcomes(result.outcomes);
    if (!result.undefined.empty())
      throw DataError("a metric failed: " + join_some(result.undefined, 4), {.reason = "metric_failed"});
  };
}

}  // namespace

extern const CommandRecord benchmark_command = {"benchmark", "score embeddings: 13 metrics, tables, report", add};

}  // namespace scvet::cli
