#include "scvet/jobs/benchmark.h"

#include <nlohmann/json.hpp>

#include "benchmark_page.h"
#include "benchmark_score.h"
#include "benchmark_tables.h"
#include "cells_by_name.h"
#include "embedding_inputs.h"
#include "scvet/base/error.h"
#include "scvet/base/log.h"
#include "scvet/base/text.h"
#include "scvet/io/format.h"

namespace scvet::jobs {
namespace {

using nlohmann::json;

void require_choice(const std::string& value, std::initializer_list<const char*> choices, const char* flag) {
  std::vector<std::string> names(choices.begin(), choices.end());
  for (const std::string& name : names)
    if (name == value) return;
  throw UsageError("'" + value + "' is no value of " + flag + " (" + join(names, ", ") + ")");
}

// Defaults that depend on other flags.
BenchmarkOptions settled(BenchmarkOptions options) {
  if (options.metrics.empty()) options.metrics = options.batch_key.empty() ? "bio" : "all";
  require_choice(options.metrics, {"bio", "batch", "all"}, "--metrics");
  require_choice(options.clustering, {"leiden", "kmeans"}, "--clustering");
  require_choice(options.selection, {"match_labels", "best_nmi"}, "--selection");
  require_choice(options.kbet, {"reset", "peer"}, "--kbet");
  if (options.metrics != "bio" && options.batch_key.empty()) options.batch_key = "batch_id";
  if (options.batch_max_cells < 0) throw UsageError("--batch-max-cells is 0 (all cells) or a number of cells");
  if (!options.data.empty() && !options.extra)
    throw UsageError("--data is read by the extra metrics alone; add --extra");
  return options;
}

std::string options_json(const BenchmarkOptions& options) {
  return json({{"label_key", options.label_key},
               {"batch_key", options.batch_key},
               {"metrics", options.metrics},
               {"clustering", options.clustering},
               {"selection", options.selection},
               {"kbet", options.kbet},
               {"batch_max_cells", options.batch_max_cells},
               {"extra", options.extra},
               {"details", options.details}})
      .dump();
}

SampleScores score_file(const SampleFile& file, const EmbeddingCells& cells, const std::string& counts_path,
                        const std::string& method, const BenchmarkOptions& options, const TaskPlaces& places) {
  const std::string cache = options.no_cache ? "" : places.cache + "/neighbours";
  if (counts_path.empty()) return score_sample(cells, file.path, file.sample_id, method, options, cache, {});
  const std::unique_ptr<CellFile> data = io::open_cells(counts_path);
  const std::unique_ptr<CellSource> source = data->open_matrix("X");
  const CsrMatrix all = read_csr(*source);
  const std::vector<std::int64_t> order = cells_by_name(cells.obs.names, data->obs().names, file.path, counts_path);
  const CsrMatrix counts = select_cells(all.view(), order);
  return score_sample(cells, file.path, file.sample_id, method, options, cache, {&counts, &source->var().names});
}

std::vector<std::string> groups_of(const BenchmarkOptions& options) {
  std::vector<std::string> groups;
  if (options.metrics != "batch") groups.emplace_back("bio_conservation");
  if (options.metrics != "bio") groups.emplace_back("batch_mixing");
  if (options.extra) groups.emplace_back("extra");
  return groups;
}

void combine(const BenchmarkTables& tables, const std::vector<SampleFile>& files, const BenchmarkOptions& options,
             BenchmarkResult& result) {
  const std::vector<std::string> groups = groups_of(options);
  for (const std::string& group : groups) {
    std::vector<ScoreRow> rows;
    for (std::size_t at = 0; at < files.size(); ++at) {
      if (result.outcomes[at].status == "failed") continue;
      for (ScoreRow& row : tables.read_sample(files[at].sample_id, group)) rows.push_back(std::move(row));
    }
    if (rows.empty()) continue;
    for (std::string& path : tables.write_combined(group, rows, options.peer_wide))
      result.tables.push_back(std::move(path));
    result.rows.insert(result.rows.end(), rows.begin(), rows.end());
  }
  if (result.rows.empty()) return;
  for (std::string& path : tables.write_versions(groups)) result.tables.push_back(std::move(path));
  for (const ScoreRow& row : result.rows)
    if (row.note.find("metric_failed=") != std::string::npos)
      result.undefined.push_back(row.sample_id + ": " + row.metric + " (" + row.note + ")");
}

}  // namespace

BenchmarkResult benchmark(const BenchmarkOptions& given) {
  const BenchmarkOptions options = settled(given);
  const TaskPlaces places = task_places(options.task);
  const std::vector<SampleFile> files = sample_files(options.embeddings, "--embedding");
  const std::string method = method_label(options.method, files);
  std::vector<std::string> counts(files.size());
  if (!options.data.empty()) {
    const std::vector<SampleFile> data = data_of(files, sample_files(options.data, "--data"));
    for (std::size_t at = 0; at < files.size(); ++at) counts[at] = data[at].path;
  }
  const BenchmarkTables tables(places.results, method, options.clustering);

  std::vector<TaskRequest> requests;
  for (std::size_t at = 0; at < files.size(); ++at) {
    TaskRequest request{"benchmark", method, files[at].path, options_json(options), {files[at].path}, options.seed};
    if (!counts[at].empty()) request.files.push_back(counts[at]);
    requests.push_back(std::move(request));
  }
  BenchmarkResult result;
  result.outcomes = run_tasks(options.task, places, requests, [&](std::size_t at, TaskRun& run) {
    const EmbeddingCells cells = read_embedding_cells(files[at].path);
    const SampleScores scores = score_file(files[at], cells, counts[at], method, options, run.places());
    for (const std::string& path : tables.write_sample(files[at].sample_id, cells, scores, options))
      run.add_output(path);
  });
  if (options.task.dry_run) return result;
  combine(tables, files, options, result);
  result.page = refresh_benchmark_page(places.results, options.clustering);
  return result;
}

}  // namespace scvet::jobs
