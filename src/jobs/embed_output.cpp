#include "embed_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "scvet/base/error.h"
#include "scvet/base/log.h"
#include "scvet/base/text.h"
#include "scvet/base/version.h"
#include "scvet/io/format.h"
#include "scvet/io/h5ad_writer.h"

namespace scvet::jobs {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr const char* kReasonColumn = "scvet_missing_reason";

void require_shape(const embed::MethodOutput& output, std::int64_t n_cells, const std::string& method) {
  const auto cells = static_cast<std::size_t>(n_cells), dims = static_cast<std::size_t>(output.n_dims);
  if (output.n_dims > 0 && output.values.size() == cells * dims &&
      (output.missing_reason.empty() || output.missing_reason.size() == cells) &&
      (output.genes.empty() || output.genes.size() == dims))
    return;
  throw InternalError(fmt::format("method {} gave {} values, {} dimensions and {} reasons for {} cells", method,
                                  output.values.size(), output.n_dims, output.missing_reason.size(), n_cells));
}

std::map<std::string, std::int64_t> count_reasons(const embed::MethodOutput& output) {
  std::map<std::string, std::int64_t> reasons;
  for (const std::string& reason : output.missing_reason)
    if (!reason.empty()) ++reasons[reason];
  return reasons;
}

// A row without a reason is finite, one with a reason all NaN.
void require_rows(const embed::MethodOutput& output, const std::string& method, const std::vector<std::string>& names) {
  const auto dims = static_cast<std::size_t>(output.n_dims);
  for (std::size_t cell = 0; cell < names.size(); ++cell) {
    const bool missing = !output.missing_reason.empty() && !output.missing_reason[cell].empty();
    const float* const row = output.values.data() + cell * dims;
    const bool good =
        std::all_of(row, row + dims, [&](float value) { return missing ? std::isnan(value) : std::isfinite(value); });
    if (!good)
      throw InternalError(
          fmt::format("method {}: the row of cell '{}' is neither finite nor NaN with a reason", method, names[cell]));
  }
}

std::int64_t report_missing(const std::map<std::string, std::int64_t>& reasons, std::int64_t n_cells,
                            const std::string& path) {
  std::int64_t n_missing = 0;
  std::vector<std::string> parts;
  for (const auto& [reason, count] : reasons) {
    n_missing += count;
    parts.push_back(reason + ": " + format_count(count));
  }
  if (n_missing == n_cells)
    throw DataError(
        fmt::format("{}: none of {} cells could be embedded ({})", path, format_count(n_cells), join(parts, "; ")),
        {.file = path, .reason = "nothing_embedded"});
  if (n_missing > 0)
    log_warning(fmt::format("{}: {} of {} cells could not be embedded and are NaN ({}); obs {} says why", path,
                            format_count(n_missing), format_count(n_cells), join(parts, "; "), kReasonColumn));
  return n_missing;
}

std::vector<io::UnsText> origin(const TaskRun& run, const TaskRequest& request, const EmbedInput& input,
                                const embed::MethodOutput& output, const std::map<std::string, std::int64_t>& reasons) {
  std::vector<io::UnsText> entries = {{"scvet_version", version()},
                                      {"scvet_method", request.method},
                                      {"scvet_options", json::parse(request.options).dump()},
                                      {"scvet_seed", std::to_string(request.seed)},
                                      {"scvet_input", base_name(input.file->path())},
                                      {"scvet_input_sha256", run.inputs().front().second}};
  if (!input.values.empty()) entries.push_back({"scvet_input_values", input.matrix + ": " + input.values});
  if (!output.facts.empty()) entries.push_back({"scvet_facts", json(output.facts).dump()});
  if (!reasons.empty()) entries.push_back({"scvet_missing", json(reasons).dump()});
  return entries;
}

bool same_chunk(const CellChunk& a, const CellChunk& b) {
  return a.indptr == b.indptr && a.genes == b.genes && a.values.size() == b.values.size() &&
         (a.values.empty() || std::memcmp(a.values.data(), b.values.data(), a.values.size() * sizeof(double)) == 0);
}

// X of both files, chunk by chunk, so that files that differ are told apart by their first rows.
bool same_numbers(const std::string& a, const std::string& b) {
  const std::unique_ptr<CellFile> file_a = io::open_cells(a), file_b = io::open_cells(b);
  const std::unique_ptr<CellSource> x_a = file_a->open_matrix("X"), x_b = file_b->open_matrix("X");
  const std::int64_t n_cells = x_a->info().n_cells;
  if (n_cells != x_b->info().n_cells || x_a->info().n_genes != x_b->info().n_genes) return false;
  const std::int64_t step = std::max<std::int64_t>(std::min(x_a->chunk_cells(), x_b->chunk_cells()), 1);
  CellChunk chunk_a, chunk_b;
  for (std::int64_t first = 0; first < n_cells; first += step) {
    x_a->read(first, std::min(step, n_cells - first), chunk_a);
    x_b->read(first, std::min(step, n_cells - first), chunk_b);
    if (!same_chunk(chunk_a, chunk_b)) return false;
  }
  return true;
}

void warn_of_twins(TaskRun& run, const std::string& path, const std::string& method) {
  const std::vector<std::string> twins = methods_with_same_numbers(run.places().results + "/embeddings", path);
  if (twins.empty()) return;
  log_warning(
      fmt::format("{}: holds the same numbers as that of {}: one of the names is wrong, or {} gave back what "
                  "another method made",
                  path, join(twins, ", "), method));
  run.add_fact("same_numbers_as", json(twins).dump());
}

}  // namespace

std::string embedding_path(const TaskPlaces& places, const std::string& method, const std::string& input) {
  return places.results + "/embeddings/" + method + "/" + stem(input) + ".h5ad";
}

std::vector<std::string> methods_with_same_numbers(const std::string& embeddings, const std::string& path) {
  std::vector<std::string> twins;
  const std::string own = fs::path(path).parent_path().filename().string(), name = base_name(path);
  if (!fs::is_directory(embeddings)) return twins;
  for (const fs::directory_entry& entry : fs::directory_iterator(embeddings)) {
    const std::string method = entry.path().filename().string();
    const std::string other = (entry.path() / name).string();
    if (method == own || !fs::is_regular_file(other)) continue;
    try {
      if (same_numbers(path, other)) twins.push_back(method);
    } catch (const DataError& error) {
      log_verbose("not compared: " + std::string(error.what()));  // another run may be writing it, or it is broken
    } catch (const UsageError& error) {
      log_verbose("not compared: " + std::string(error.what()));
    }
  }
  std::sort(twins.begin(), twins.end());
  return twins;
}

void write_method_output(TaskRun& run, const TaskRequest& request, EmbedInput& input,
                         const embed::MethodOutput& output) {
  const std::vector<std::string>& names = input.file->obs().names;
  const auto n_cells = static_cast<std::int64_t>(names.size());
  require_shape(output, n_cells, request.method);
  require_rows(output, request.method, names);
  const std::map<std::string, std::int64_t> reasons = count_reasons(output);
  const std::string path = embedding_path(run.places(), request.method, request.input);
  const std::int64_t n_missing = report_missing(reasons, n_cells, path);
  io::EmbeddingContent content;
  content.values = MatrixView<const float>(output.values.data(), n_cells, output.n_dims);
  content.genes = output.genes;
  content.uns = origin(run, request, input, output, reasons);
  if (n_missing > 0) content.columns.push_back(categorical_column(kReasonColumn, output.missing_reason));
  for (const std::string& note : io::write_embedding(*input.file, path, content)) log_info(note);
  run.add_output(path);
  run.add_fact("n_cells", std::to_string(n_cells));
  run.add_fact("n_dims", std::to_string(output.n_dims));
  run.add_fact("n_missing", std::to_string(n_missing));
  if (!input.values.empty()) run.add_text_fact("values", input.matrix + ": " + input.values);
  for (const auto& [name, text] : output.facts) run.add_text_fact(name, text);
  warn_of_twins(run, path, request.method);
}

}  // namespace scvet::jobs
