#include "cell_input_matrix.h"

#include <fmt/format.h>

#include <algorithm>

#include "scvet/base/error.h"
#include "scvet/base/text.h"
#include "scvet/data/values.h"

namespace scvet::jobs {
namespace {

constexpr std::int64_t kProbeCells = 2000;

bool looks_like_counts(CellSource& source) {
  MatrixInfo info = source.info();
  info.n_cells = std::min({info.n_cells, kProbeCells, source.chunk_cells()});
  ValueAccumulator values(info);
  CellChunk chunk;
  if (info.n_cells > 0) {
    source.read(0, info.n_cells, chunk);
    values.add(chunk);
  }
  const ValueState state = values.finish(source.var().names).state;
  return state == ValueState::kCounts || state == ValueState::kEmpty;
}

std::vector<std::string> matrix_names(const CellFile& file) {
  std::vector<std::string> names;
  for (const MatrixInfo& info : file.matrices()) names.push_back(info.name);
  return names;
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

ChosenMatrix open_layer(CellFile& file, const std::vector<std::string>& names, const std::string& layer) {
  const std::string name = has(names, "layers/" + layer) ? "layers/" + layer : layer;
  if (!has(names, name)) {
    std::string message = fmt::format("{}: no layer '{}' (has: {})", file.path(), layer, join_some(names));
    if (const auto near = nearest_name("layers/" + layer, names)) message += fmt::format("; did you mean '{}'?", *near);
    throw UsageError(message, {.file = file.path(), .field = layer});
  }
  return {file.open_matrix(name), name, "asked for with --layer", true};
}

// The DataError of the matrix, with the layers that would do.
[[noreturn]] void refuse(CellFile& file, const std::string& name, const std::vector<std::string>& names) {
  std::vector<std::string> layers;
  for (const std::string& other : names)
    if (other.starts_with("layers/") && looks_like_counts(*file.open_matrix(other))) layers.push_back(other.substr(7));
  try {
    explain_values(file, name);
  } catch (const DataError& error) {
    std::string message = error.what();
    if (!layers.empty()) message += fmt::format("; layers with counts: {} (pass --layer NAME)", join_some(layers));
    // Nothing says what a missing value was, so no flag takes it.
    message += error.facts().reason == value_state_name(ValueState::kBroken)
                   ? "; missing values are refused with --values as-is, too: write what they stand for"
                   : "; or pass --values as-is to compare gene sets only";
    throw DataError(message, error.facts());
  }
  throw DataError(fmt::format("{}: {} holds no counts", file.path(), name), {.file = file.path(), .field = name});
}

}  // namespace

void explain_values(CellFile& file, const std::string& matrix) {
  const auto source = file.open_matrix(matrix);
  require_counts(summarise_values(*source), file.path(), matrix, file.obs().names, source->var().names);
}

ChosenMatrix choose_matrix(CellFile& file, const CellInputOptions& options) {
  const std::vector<std::string> names = matrix_names(file);
  if (names.empty())
    throw DataError(file.path() + ": no matrix of cells and genes in this file (X is absent)",
                    {.file = file.path(), .field = "X", .reason = "no_matrix"});
  if (options.layer.empty()) {
    for (const MatrixInfo& info : file.matrices())
      if (info.ranked) return {file.open_matrix(info.name), info.name, "lists of tokens in rank order", false};
  } else {
    ChosenMatrix chosen = open_layer(file, names, options.layer);
    if (chosen.source->info().ranked) return {std::move(chosen.source), chosen.name, chosen.why, false};
    if (looks_like_counts(*chosen.source)) return chosen;
    if (!options.as_is) refuse(file, chosen.name, names);
    chosen.counts = false;
    return chosen;
  }
  std::vector<std::string> tried;
  for (const std::string candidate : {"raw/X", "X"})
    if (has(names, candidate)) tried.push_back(candidate);
  if (tried.empty()) {
    if (names.front().starts_with("layers/"))
      throw DataError(
          fmt::format("{}: X is absent, and layers are only read when asked for: pass --layer NAME (has: {})",
                      file.path(), join_some(names)),
          {.file = file.path(), .field = "X", .reason = "no_matrix"});
    tried.push_back(names.front());  // 10x: the one matrix, or that of the genome that was asked for
  }
  for (const std::string& name : tried) {
    auto source = file.open_matrix(name);
    if (!looks_like_counts(*source)) continue;
    const char* const why = name == "raw/X"    ? "raw holds counts"
                            : tried.size() > 1 ? "raw holds no counts, X does"
                                               : "the values are counts";
    return {std::move(source), name, why, true};
  }
  const std::string& last = tried.back();
  if (!options.as_is) refuse(file, last, names);
  return {file.open_matrix(last), last, "no counts in this file: values as they are, gene sets only", false};
}

}  // namespace scvet::jobs
