#include "embed_join.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string_view>
#include <unordered_map>

#include "scvet/base/error.h"
#include "scvet/base/files.h"
#include "scvet/base/text.h"
#include "scvet/io/embedding.h"

namespace scvet::jobs {
namespace {

std::vector<std::string> names_of(const io::EmbeddingInput& written, const std::string& path) {
  std::vector<std::string> names = written.names;
  const std::string list = path + ".names";
  if (names.empty() && std::filesystem::exists(list)) {
    names = split(read_file(list), '\n');
    if (!names.empty() && names.back().empty()) names.pop_back();
  }
  const auto n_rows = static_cast<std::size_t>(written.values->info().n_cells);
  if (names.empty() && n_rows > 0)
    throw DataError(path +
                        " names no cells; rows are joined by name, so write them as the index (h5ad, parquet, csv) "
                        "or one a line into " +
                        list,
                    {.file = path, .reason = "no_names"});
  if (names.size() != n_rows)
    throw DataError(fmt::format("{} has {} rows and {} cell names", path, n_rows, names.size()),
                    {.file = path, .reason = "bad_shape"});
  return names;
}

// For each row of the program the cell it belongs to.
std::vector<std::size_t> places(const std::vector<std::string>& names, const std::vector<std::string>& cells,
                                const std::string& path) {
  std::unordered_map<std::string_view, std::size_t> place;
  for (std::size_t cell = 0; cell < cells.size(); ++cell) place.emplace(cells[cell], cell);
  const Duplicate twice = find_duplicate(names);
  if (twice.row_a >= 0)
    throw DataError(fmt::format("{}: cell name '{}' stands in rows {} and {}; one row a cell is needed", path,
                                twice.name, twice.row_a, twice.row_b),
                    {.file = path, .row = twice.row_b, .reason = "duplicate_cell"});
  std::vector<std::size_t> found;
  std::vector<std::string> unknown;
  for (const std::string& name : names) {
    const auto at = place.find(name);
    if (at == place.end())
      unknown.push_back(name);
    else
      found.push_back(at->second);
  }
  if (!unknown.empty())
    throw DataError(fmt::format("{}: {} of {} rows have names that no cell of the input has ({}); the input's are like "
                                "'{}'. Keep the names of obs as they are",
                                path, unknown.size(), names.size(), join_some(unknown, 3), cells.front()),
                    {.file = path, .reason = "unknown_cell"});
  return found;
}

// One row as the program wrote it. DataError unless it is finite, or NaN throughout.
bool take_row(const CellChunk& chunk, std::size_t row, std::span<float> target, const std::string& path,
              const std::string& name) {
  const auto first = static_cast<std::size_t>(chunk.indptr[row]),
             last = static_cast<std::size_t>(chunk.indptr[row + 1]);
  std::fill(target.begin(), target.end(), 0.0F);
  for (std::size_t at = first; at < last; ++at) target[chunk.genes[at]] = static_cast<float>(chunk.values[at]);
  const auto n_nan = static_cast<std::size_t>(
      std::count_if(target.begin(), target.end(), [](float value) { return std::isnan(value); }));
  const bool infinite = std::any_of(target.begin(), target.end(), [](float value) { return std::isinf(value); });
  if (n_nan == target.size()) return false;
  if (n_nan > 0 || infinite)
    throw DataError(fmt::format("{}: the row of cell '{}' has {}; a cell that cannot be embedded is NaN in every "
                                "dimension, any other is finite",
                                path, name,
                                infinite ? std::string("an infinite number (or one beyond float32)")
                                         : fmt::format("{} of {} numbers NaN", n_nan, target.size())),
                    {.file = path, .field = name, .reason = "not_finite"});
  return true;
}

}  // namespace

embed::MethodOutput join_by_name(const std::string& path, const std::vector<std::string>& cells) {
  const io::EmbeddingInput written = io::open_embedding(path, "");
  const MatrixInfo& info = written.values->info();
  if (info.n_genes <= 0)
    throw DataError(path + ": an embedding of no dimension", {.file = path, .reason = "bad_shape"});
  const std::vector<std::string> names = names_of(written, path);
  const std::vector<std::size_t> place = places(names, cells, path);
  const auto dims = static_cast<std::size_t>(info.n_genes);
  embed::MethodOutput output{.n_dims = info.n_genes, .values = {}};
  output.values.assign(cells.size() * dims, std::numeric_limits<float>::quiet_NaN());
  output.missing_reason.assign(cells.size(), "not returned");
  CellChunk chunk;
  const std::int64_t step = std::max<std::int64_t>(written.values->chunk_cells(), 1);
  for (std::int64_t first = 0; first < info.n_cells; first += step) {
    written.values->read(first, std::min(step, info.n_cells - first), chunk);
    for (std::size_t row = 0; row < static_cast<std::size_t>(chunk.n_cells); ++row) {
      const std::size_t cell = place[static_cast<std::size_t>(first) + row];
      const bool embedded = take_row(chunk, row, {output.values.data() + cell * dims, dims}, path, cells[cell]);
      output.missing_reason[cell] = embedded ? "" : "returned as NaN";
    }
  }
  return output;
}

}  // namespace scvet::jobs
