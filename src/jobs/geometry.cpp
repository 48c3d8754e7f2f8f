#include "scvet/jobs/geometry.h"

#include <filesystem>
#include <nlohmann/json.hpp>

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

std::vector<GeometryPair> make_pairs(const GeometryOptions& options) {
  const std::vector<SampleFile> embeddings = sample_files(options.embedding, "--embedding");
  const std::vector<SampleFile> data = sample_files(options.data, "--data");
  std::vector<GeometryPair> pairs;
  if (embeddings.size() == 1 && data.size() == 1)
    return {{embeddings[0].path, data[0].path, data[0].sample_id, embeddings[0].sample_id}};
  std::vector<std::string> without;
  for (const SampleFile& embedding : embeddings) {
    const auto own = std::find_if(data.begin(), data.end(),
                                  [&](const SampleFile& file) { return file.sample_id == embedding.sample_id; });
    if (own == data.end())
      without.push_back(embedding.sample_id);
    else
      pairs.push_back({embedding.path, own->path, own->sample_id, embedding.sample_id});
  }
  if (!without.empty())
    throw UsageError("--data has no file of the name of " + std::to_string(without.size()) + " of " +
                         std::to_string(embeddings.size()) + " embeddings (" + join_some(without) +
                         "); pass the counts they were made from under the same names, or one pair alone",
                     {.field = "--data", .reason = "no_pair"});
  return pairs;
}

std::string folder_name(const std::string& path) {
  return fs::absolute(path).lexically_normal().parent_path().filename().string();
}

// The label, in the tables and in the names of the files.
std::string method_label(const GeometryOptions& options, const std::vector<GeometryPair>& pairs) {
  std::string label = options.method;
  if (label.empty()) {
    label = folder_name(pairs.front().embedding);
    for (const GeometryPair& pair : pairs)
      if (folder_name(pair.embedding) != label)
        throw UsageError("the embeddings lie in several folders (" + label + ", " + folder_name(pair.embedding) +
                             "); --method names them all",
                         {.field = "--method"});
  }
  if (label.empty() || label.find('/') != std::string::npos)
    throw UsageError("--method '" + label + "': expected a name that can stand in a file's name",
                     {.field = "--method"});
  return label;
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
  const std::vector<GeometryPair> pairs = make_pairs(options);
  const std::string method = method_label(options, pairs);
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
  return result;
}

}  // namespace scvet::jobs
