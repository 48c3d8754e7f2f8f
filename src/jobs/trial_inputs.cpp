#include "trial_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "scvet/base/error.h"
#include "scvet/base/text.h"
#include "scvet/io/format.h"
#include "scvet/io/text_table.h"

namespace scvet::jobs {
namespace {

constexpr std::int64_t kEmbeddingBytes = std::int64_t{2} << 30;

std::string layer_name(const CellFile& file, const std::string& layer) {
  if (layer.empty() || layer == "X") return "X";
  std::vector<std::string> names;
  for (const MatrixInfo& info : file.matrices()) names.push_back(info.name);
  for (const std::string& candidate : {layer, "layers/" + layer})
    if (std::find(names.begin(), names.end(), candidate) != names.end()) return candidate;
  throw UsageError(fmt::format("{}: no layer '{}' (has: {}); pass --layer", file.path(), layer, join_some(names)),
                   {.file = file.path(), .field = layer});
}

DataError unmatched(const std::string& what, const std::string& where) {
  return DataError(what + " (reason=cells_unmatched)", {.file = where, .reason = "cells_unmatched"});
}

// Place in the embedding of every cell of the screen.
std::vector<std::int64_t> join_cells(const io::EmbeddingInput& input, const std::vector<std::string>& cells,
                                     bool same_order) {
  const std::int64_t n_found = input.values->info().n_cells;
  const auto n_cells = static_cast<std::int64_t>(cells.size());
  std::vector<std::int64_t> place(cells.size());
  if (input.names.empty()) {
    if (!same_order)
      throw unmatched(fmt::format("{} names no cells: give a file that does, or pass --same-order if its rows are in "
                                  "the order of the counts",
                                  input.where),
                      input.where);
    if (n_found != n_cells)
      throw unmatched(fmt::format("{} has {} rows where the counts have {} cells", input.where, n_found, n_cells),
                      input.where);
    std::iota(place.begin(), place.end(), std::int64_t{0});
    return place;
  }
  std::unordered_map<std::string_view, std::int64_t> place_of;
  place_of.reserve(input.names.size());
  for (std::size_t at = 0; at < input.names.size(); ++at)
    if (!place_of.emplace(input.names[at], static_cast<std::int64_t>(at)).second)
      throw DataError(fmt::format("{}: cell '{}' occurs twice; names must be unique (reason=duplicate_names)",
                                  input.where, input.names[at]),
                      {.file = input.where, .row = static_cast<std::int64_t>(at), .reason = "duplicate_names"});
  std::vector<std::string> missing;
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    const auto found = place_of.find(cells[cell]);
    if (found == place_of.end())
      missing.push_back(cells[cell]);
    else
      place[cell] = found->second;
  }
  if (!missing.empty())
    throw unmatched(fmt::format("{} lacks {} of the {} cells of the counts (such as {}); cells are joined by name",
                                input.where, format_count(static_cast<std::int64_t>(missing.size())),
                                format_count(n_cells), join_some(missing, 3)),
                    input.where);
  return place;
}

// The names that `trial publish` gave to cells, back to their own.
void translate_names(io::EmbeddingInput& input, const std::string& path) {
  const io::TextTable table = io::read_text_table(path, {.name_column = "name", .header = true});
  const Column& cells = require_column(table.table, "cell", path, "--cell-names");
  std::unordered_map<std::string, std::string> own_name;
  for (std::int64_t row = 0; row < table.n_rows(); ++row)
    own_name[table.table.names[static_cast<std::size_t>(row)]] = cells.text(row);
  for (std::string& name : input.names) {
    const auto found = own_name.find(name);
    if (found == own_name.end())
      throw unmatched(fmt::format("{}: cell '{}' is not among the names of {}", input.where, name, path), input.where);
    name = found->second;
  }
}

void require_finite(std::span<const double> values, const std::string& cell, const std::string& where) {
  for (std::size_t dim = 0; dim < values.size(); ++dim)
    if (!std::isfinite(values[dim]))
      throw DataError(fmt::format("{}: cell '{}', dimension {}: {} is no number; every cell of a trial needs an "
                                  "embedding (reason=nonfinite_embedding)",
                                  where, cell, dim, values[dim]),
                      {.file = where, .field = std::to_string(dim), .reason = "nonfinite_embedding"});
}

// Cells in byte order of their names: the order of the digest.
std::vector<std::int64_t> name_order(const std::vector<std::string>& names) {
  std::vector<std::int64_t> order(names.size());
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return names[static_cast<std::size_t>(a)] < names[static_cast<std::size_t>(b)];
  });
  return order;
}

}  // namespace

TrialScreenFile open_screen(const TrialCounts& counts) {
  TrialScreenFile screen;
  screen.file = io::open_cells(counts.path);
  screen.design = trial::read_design(screen.file->obs(),
                                     {.row_key = counts.row_key,
                                      .target_key = counts.target_key,
                                      .batch_key = counts.batch_key,
                                      .control_label = counts.control_label},
                                     counts.path);
  screen.layer = layer_name(*screen.file, counts.layer);
  screen.counts = screen.file->open_matrix(screen.layer);
  return screen;
}

std::vector<std::string> targets_of(const trial::Design& design, std::span<const std::int64_t> rows) {
  std::vector<std::string> targets;
  for (const std::int64_t row : rows) targets.push_back(design.rows[static_cast<std::size_t>(row)].target);
  return targets;
}

std::vector<trial::RowLine> row_lines(const trial::Design& design, const trial::Screen& scan, int min_cells) {
  std::vector<trial::RowLine> lines;
  for (std::size_t row = 0; row < design.rows.size(); ++row) {
    const auto n_cells = static_cast<std::int64_t>(design.rows[row].cells.size());
    lines.push_back({design.rows[row].id, design.rows[row].target, n_cells,
                     n_cells < min_cells ? -1 : scan.rows[row].n_finite, scan.rows[row].eligible,
                     scan.rows[row].reason});
  }
  return lines;
}

TrialEmbeddingPass read_trial_embedding(const TrialEmbedding& embedding, const std::string& counts_path,
                                        const trial::Design& design, std::span<const std::int64_t> eligible,
                                        std::span<const std::uint64_t> record_hash) {
  if (embedding.path.empty() && embedding.obsm.empty())
    throw UsageError("no representation was named: pass --embedding FILE or --obsm KEY", {.field = "embedding"});
  io::EmbeddingInput input = io::open_embedding(embedding.path.empty() ? counts_path : embedding.path, embedding.obsm);
  if (!embedding.cell_names.empty()) translate_names(input, embedding.cell_names);
  const std::vector<std::int64_t> place = join_cells(input, design.cell_names, embedding.same_order);
  TrialEmbeddingPass pass;
  pass.where = input.where;
  pass.key = !embedding.obsm.empty() ? embedding.obsm : input.values->info().name;
  pass.n_dims = input.values->info().n_genes;
  pass.n_extra = input.values->info().n_cells - static_cast<std::int64_t>(design.cell_names.size());
  if (pass.n_dims == 0)
    throw DataError(input.where + " has no dimensions", {.file = input.where, .reason = "bad_shape"});

  trial::EmbeddingDelta delta(design, eligible, pass.n_dims);
  trial::EmbeddingScan scan(design, eligible, record_hash);
  trial::visit_cells(*input.values, place, kEmbeddingBytes, [&](std::int64_t cell, std::span<const double> values) {
    require_finite(values, design.cell_names[static_cast<std::size_t>(cell)], input.where);
    delta.add(cell, values);
    scan.add(cell, values);
  });
  pass.z = delta.finish();
  pass.flags = scan.finish();

  const std::vector<std::int64_t> by_name = name_order(design.cell_names);
  std::vector<std::int64_t> order;
  order.reserve(by_name.size());
  for (const std::int64_t cell : by_name) order.push_back(place[static_cast<std::size_t>(cell)]);
  trial::EmbeddingDigest digest;
  trial::visit_cells(*input.values, order, kEmbeddingBytes, [&](std::int64_t at, std::span<const double> values) {
    digest.add(design.cell_names[static_cast<std::size_t>(by_name[static_cast<std::size_t>(at)])], values);
  });
  pass.digest = digest.finish();
  return pass;
}

}  // namespace scvet::jobs
