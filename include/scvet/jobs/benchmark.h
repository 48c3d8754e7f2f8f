// scvet benchmark: 13 metrics of embeddings against labels and batches. docs/benchmark.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scvet/data/score_table.h"
#include "scvet/jobs/task_run.h"

namespace scvet::jobs {

struct BenchmarkOptions {
  TaskOptions task;
  std::vector<std::string> embeddings;  // files, folders, globs
  std::vector<std::string> data = {};   // raw counts of the same stems, for extras
  std::string method = {};              // label in the tables; "": the name of the embedding's folder
  std::string label_key = "cell_type";
  std::string batch_key = {};              // "": none, or batch_id where batch metrics are asked for
  std::string metrics = {};                // bio, batch, all; "": all with a batch key, else bio
  std::string clustering = "leiden";       // or kmeans
  std::string selection = "match_labels";  // or best_nmi: which run of the Leiden scan counts
  std::string kbet = "reset";              // or peer: the component limit is carried over between labels
  std::int64_t batch_max_cells = 0;        // 0: all cells; else a stratified subsample for the batch metrics
  bool extra = false;                      // the unranked metrics, in a table of their own
  bool details = false;                    // values of labels and of cells, as tables
  bool peer_wide = false;                  // wide tables without samples that have no value at all
  bool no_cache = false;                   // neighbours neither taken from the cache nor put there
  std::uint64_t seed = 42;                 // recorded; the metrics have fixed seeds of their own
};

struct BenchmarkResult {
  std::vector<ScoreRow> rows;          // of every sample that was scored, now or before
  std::vector<std::string> tables;     // combined tables written
  std::string page;                    // <results>/benchmark/report.html, made anew from every table there
  std::vector<TaskOutcome> outcomes;   // one a file
  std::vector<std::string> undefined;  // samples with a metric that failed
};

// Writes the tables under <results>/benchmark, one run a file. A file that fails costs only itself: throw_failures()
// tells afterwards; so does `undefined`, after all tables are written.
BenchmarkResult benchmark(const BenchmarkOptions& options);

// A table of scores as scores_to_csv() writes it. DataError where a column is missing.
std::vector<ScoreRow> read_scores(const std::string& path);

}  // namespace scvet::jobs
