#include "scvet/jobs/geometry.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "benchmark_page.h"
#include "embedding_inputs.h"
#include "geometry_pair.h"
#include "scvet/base/error.h"
#include "scvet/base/files.h"
#include "scvet/base/log.h"
#include "scvet/base/text.h"
#include "scvet/jobs/paths.h"

namespace scvet::jobs {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

std::vector<GeometryPair> make_pairs(const std::vector<SampleFile>& embeddings, const GeometryOptions& options) {
  const std::vector<SampleFile> data = data_of(embeddings, sample_files(options.data, "--data"));
  std::vector<GeometryPair> pairs;
  for (std::size_t at = 0; at < embeddings.size(); ++at)
    pairs.push_back({embeddings[at].path, data[at].path, data[at].sample_id, embeddings[at].sample_id});
  return pairs;
}

void check_options(const GeometryOptions& options) {
  if (options.max_cells < 0) throw UsageError("--max-cells must be 0 (all cells) or more", {.field = "--max-cells"});
  if (options.n_genes < 1) throw UsageError("--n-genes must be at least 1", {.field = "--n-genes"});
}

std::vector<TaskRequest> make_requests(const GeometryOptions& options, const std::vector<GeometryPair>& pairs,
                                       const std::string& method) {
  std::vector<TaskRequest> requests;
  for (const GeometryPair& pair : pairs)
    requests.push_back({.task = "geometry",
                        .method = method,
                        .input = pair.embedding,
                        .options = json{{"label_key", options.label_key},
                                        {"batch_key", options.batch_key},
                                        {"max_cells", options.max_cells},
                                        {"n_genes", options.n_genes}}
                                       .dump(),
                        .files = {pair.embedding, pair.data},
                        .seed = static_cast<std::uint64_t>(options.seed)});
  return requests;
}

// <outdir>/geometry/<method>/<stem>_<method>
std::string table_stem(const TaskPlaces& places, const GeometryPair& pair, const std::string& method) {
  return places.results + "/geometry/" + method + "/" + pair.output + "_" + method;
}

// Writes the tables of one pair; the run fails with the row, once they are there.
void write_pair(const GeometryRow& row, const std::string& stem, TaskRun& run) {
  const std::string table = stem + ".csv", batches = stem + "_rnx_batches.csv";
  write_file(table, geometry_header() + geometry_line(row));
  run.add_output(table);
  if (row.probes.batches.empty()) {
    fs::remove(batches);  // of an earlier run, whose R_NX was defined
  } else {
    write_file(batches, rnx_batches_table(row));
    run.add_output(batches);
  }
  if (!row.probes.failure.empty()) throw DataError(row.probes.failure, {.file = row.embedding_file});
}

// The line of a pair whose run had no need to, or could not, make a row.
std::string other_line(const TaskOutcome& outcome, const GeometryPair& pair, const std::string& method,
                       const std::string& table) {
  if (outcome.status == "unchanged") {
    const std::string text = read_file(table);
    return text.substr(text.find('\n') + 1);
  }
  GeometryRow row{.dataset_id = pair.dataset_id, .method = method, .embedding_file = base_name(pair.embedding)};
  row.probes.failure = "RuntimeError:" + outcome.message;
  return geometry_line(row);
}

}  // namespace

GeometryResult geometry(const GeometryOptions& options) {
  check_options(options);
  const std::vector<SampleFile> embeddings = sample_files(options.embedding, "--embedding");
  const std::vector<GeometryPair> pairs = make_pairs(embeddings, options);
  const std::string method = method_label(options.method, embeddings);
  const TaskPlaces places = task_places(options.task);
  check_gpu(options.task, false);
  std::vector<std::string> lines(pairs.size());
  GeometryResult result;
  result.outcomes =
      run_tasks(options.task, places, make_requests(options, pairs, method), [&](std::size_t at, TaskRun& run) {
        const GeometryRow row = measure_pair(pairs[at], method, options);
        lines[at] = geometry_line(row);
        write_pair(row, table_stem(places, pairs[at], method), run);
      });
  if (options.task.dry_run) return result;
  std::string text = geometry_header();
  for (std::size_t at = 0; at < pairs.size(); ++at)
    text += lines[at].empty()
                ? other_line(result.outcomes[at], pairs[at], method, table_stem(places, pairs[at], method) + ".csv")
                : lines[at];
  result.table = places.results + "/" + method + "_geometry.csv";
  write_file(result.table, text);
  result.page = refresh_benchmark_page(places.results, "");
  return result;
}

}  // namespace scvet::jobs
