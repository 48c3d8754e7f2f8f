#include "scvet/jobs/prepare.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "prepare_ledger.h"
#include "scvet/base/digest.h"
#include "scvet/base/error.h"
#include "scvet/base/files.h"
#include "scvet/base/log.h"
#include "scvet/base/text.h"
#include "scvet/base/version.h"
#include "scvet/data/values.h"
#include "scvet/io/format.h"
#include "scvet/io/h5ad_writer.h"
#include "scvet/jobs/paths.h"

namespace scvet::jobs {
namespace {

using nlohmann::json;

bool draws(const PrepareOptions& options) { return options.subsample > 0 || !options.max_per.empty(); }

// Which values the first cells of a matrix hold: enough for a warning, cheap on a file of any size.
ValueSummary first_values(CellFile& file, const std::string& matrix) {
  constexpr std::int64_t kCells = 2000;
  const std::unique_ptr<CellSource> source = file.open_matrix(matrix);
  MatrixInfo info = source->info();
  info.n_cells = std::min({info.n_cells, kCells, source->chunk_cells()});
  ValueAccumulator values(info);
  CellChunk chunk;
  if (info.n_cells > 0) {
    source->read(0, info.n_cells, chunk);
    values.add(chunk);
  }
  return values.finish(source->var().names);
}

bool holds_counts(const ValueSummary& values) {
  return values.state == ValueState::kCounts || values.state == ValueState::kEmpty;
}

// X is copied whatever it holds; a person should hear of it when that is not what the benchmark needs.
void look_at_values(CellFile& file, PreparedFile& facts) {
  const std::vector<MatrixInfo> matrices = file.matrices();
  if (matrices.empty() || matrices.front().name == "raw/X" || matrices.front().name.starts_with("layers/"))
    throw DataError(fmt::format("{}: there is no X, and the benchmark reads counts from X{}", file.path(),
                                matrices.empty() ? "" : "; the file has " + matrices.front().name),
                    {.file = file.path(), .field = "X", .reason = "no_x"});
  facts.matrix = matrices.front().name;
  const ValueSummary values = first_values(file, facts.matrix);
  facts.values = value_state_name(values.state);
  facts.values_why = values.why;
  const auto raw =
      std::find_if(matrices.begin(), matrices.end(), [](const MatrixInfo& info) { return info.name == "raw/X"; });
  facts.raw_dropped = raw != matrices.end();
  if (holds_counts(values)) return;
  std::string note = fmt::format("{} is no matrix of counts: its first cells are {} ({}); it was copied as it is",
                                 facts.matrix, facts.values, values.why);
  if (facts.raw_dropped && holds_counts(first_values(file, "raw/X")))
    note += "; raw holds counts and is not in the output: put them into X first";
  log_warning(file.path() + ": " + note);
  facts.notes.push_back(std::move(note));
}

// gene_symbol and ensembl_id of var.
std::vector<Column> var_columns(const Table& var, PreparedFile& facts) {
  std::vector<Column> columns;
  const auto place = [&](Column column) {
    const Column* old = var.find(column.name);
    const std::int64_t differing = old ? count_differing(*old, column) : 0;
    if (old && differing == 0) return ColumnFate::kSame;
    if (old)
      facts.notes.push_back(fmt::format("var['{}'] was replaced: {} of {} genes had another value", column.name,
                                        format_count(differing), format_count(var.rows())));
    columns.push_back(std::move(column));
    return old ? ColumnFate::kReplaced : ColumnFate::kAdded;
  };
  facts.gene_symbol = place(string_column("gene_symbol", facts.genes.names));
  if (!facts.genes.ensembl.empty()) facts.ensembl_id = place(string_column("ensembl_id", facts.genes.ensembl));
  return columns;
}

template <typename Notes>
void add_notes(PreparedFile& facts, const Notes& notes) {
  facts.notes.insert(facts.notes.end(), notes.begin(), notes.end());
}

// Everything that is decided before a byte is written.
io::CopyChanges plan(CellFile& file, const PrepareOptions& options, PreparedFile& facts) {
  facts.source = file.path();
  facts.format = file.format();
  facts.n_cells = file.obs().rows();
  facts.n_genes = file.var().rows();
  look_at_values(file, facts);
  facts.genes = choose_gene_names(file.var(), options, file.path());
  add_notes(facts, facts.genes.notes);
  require_distinct_genes(facts.genes, file.var(), file.path());
  facts.obs = choose_obs_columns(file.obs(), options, file.path());
  add_notes(facts, facts.obs.notes);
  io::CopyChanges changes;
  changes.var = var_columns(file.var(), facts);
  changes.obs = facts.obs.columns;
  changes.replace_columns = true;
  if (facts.genes.n_changed > 0) changes.gene_names = facts.genes.names;
  changes.drop_raw = true;
  if (!draws(options)) return changes;
  facts.draw = draw_cells(file.obs(), options, file.path());
  changes.cells = facts.draw->cells;
  json record = draw_json(*facts.draw, options, facts.n_cells);
  record["scvet_version"] = version();
  changes.uns = {{"scvet_subsample", record.dump(-1, ' ', false, json::error_handler_t::replace)}};
  return changes;
}

void prove_copy(PreparedFile& facts) {
  facts.x_before = io::stored_digest(facts.source, "X");
  facts.x_after = io::stored_digest(facts.target, "X");
  if (facts.x_before == facts.x_after) return;
  std::filesystem::remove(facts.target);
  throw InternalError(fmt::format("X of {} is not that of {}, although it was copied; the output was removed",
                                  facts.target, facts.source),
                      {.file = facts.target, .field = "X"});
}

void prepare_file(const SampleFile& sample, const PrepareOptions& options, TaskRun& run, const std::string& outdir) {
  const std::unique_ptr<CellFile> file =
      io::open_cells(sample.path, {.genome = options.genome, .modality = options.modality});
  PreparedFile facts;
  facts.target = outdir + "/" + sample.sample_id + ".h5ad";
  facts.sha256_before = run.inputs().front().second;
  const io::CopyChanges changes = plan(*file, options, facts);
  add_notes(facts, io::changed_copy(*file, facts.target, changes));
  if (facts.format == "h5ad" && !facts.draw) prove_copy(facts);
  facts.sha256_after = sha256_path(facts.target);
  const std::string ledger = outdir + "/" + sample.sample_id + "_prepare.json";
  write_file(ledger, ledger_json(facts, options).dump(2, ' ', false, json::error_handler_t::replace) + "\n");
  for (const std::string& line : ledger_lines(facts, options)) log_info(line);
  run.add_output(facts.target);
  run.add_output(ledger);
}

void refuse_same_file(const SampleFile& sample, const std::string& outdir) {
  std::error_code ignored;
  if (std::filesystem::equivalent(sample.path, outdir + "/" + sample.sample_id + ".h5ad", ignored))
    throw UsageError(fmt::format("the prepared copy of {} would replace it; give another --outdir", sample.path),
                     {.file = sample.path, .field = "--outdir"});
}

}  // namespace

std::vector<TaskOutcome> run_prepare(const TaskOptions& task, const PrepareOptions& options) {
  TaskOptions chosen = task;
  if (chosen.outdir.empty()) chosen.outdir = "prepared";
  const TaskPlaces places = task_places(chosen);
  const std::vector<SampleFile> samples = sample_files(options.data, "--data");
  std::vector<TaskRequest> requests;
  for (const SampleFile& sample : samples) {
    refuse_same_file(sample, places.results);
    requests.push_back({.task = "prepare",
                        .method = "input",
                        .input = sample.path,
                        .options = prepare_options_json(options).dump(),
                        .files = {sample.path},
                        .seed = options.seed});
  }
  return run_tasks(chosen, places, requests, [&](std::size_t request, TaskRun& run) {
    prepare_file(samples[request], options, run, places.results);
  });
}

}  // namespace scvet::jobs
