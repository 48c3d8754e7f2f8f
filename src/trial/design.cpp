#include "scvet/trial/design.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "scvet/base/digest.h"
#include "scvet/base/error.h"
#include "scvet/base/text.h"

namespace scvet::trial {
namespace {

const Column& find_column(const Table& obs, const std::string& name, const char* flag, const std::string& file) {
  const Column* const column = obs.find(name);
  if (!column)
    throw DataError(fmt::format("obs column '{}' not found in {} (has: {}); pass {} COLUMN (reason=column_missing)",
                                name, file, join_some(obs.column_names(), 12), flag),
                    {.file = file, .field = name, .reason = "column_missing"});
  return *column;
}

void require_plain(const std::string& name, const std::string& what, const std::string& file) {
  if (name.find_first_of("\t\r\n") != std::string::npos)
    throw DataError(fmt::format("{}: the {} '{}' holds a tab or a line end, which the tables of a trial cannot hold; "
                                "rename it",
                                file, what, name),
                    {.file = file, .field = what, .reason = "bad_name"});
}

std::vector<std::string> texts(const Column& column, const std::string& what, const std::string& file) {
  std::vector<std::string> values(static_cast<std::size_t>(column.size()));
  for (std::int64_t row = 0; row < column.size(); ++row) {
    values[static_cast<std::size_t>(row)] = column.text(row);
    require_plain(values[static_cast<std::size_t>(row)], what, file);
  }
  return values;
}

void require_distinct(const std::vector<std::string>& names, const std::string& file) {
  const Duplicate twice = find_duplicate(names);
  if (twice.row_a >= 0)
    throw DataError(fmt::format("{}: the cell name '{}' occurs twice (rows {} and {}; {} in all); cells are told by "
                                "their names: make obs_names unique (reason=duplicate_names)",
                                file, twice.name, twice.row_a, twice.row_b, format_count(twice.n_duplicated)),
                    {.file = file, .field = "obs", .row = twice.row_b, .reason = "duplicate_names"});
}

std::string design_digest(const std::vector<std::string>& cells, const std::vector<std::string>& rows,
                          const std::vector<std::string>& targets, const std::vector<std::string>& batches) {
  std::vector<std::size_t> order(cells.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return cells[a] < cells[b]; });
  Sha256 hash;
  for (const std::size_t cell : order)
    hash.update(cells[cell] + "\t" + rows[cell] + "\t" + targets[cell] + "\t" + batches[cell] + "\n");
  return hash.finish();
}

// Levels ascending by bytes, -1 where there is no batch.
void read_batches(const std::vector<std::string>& texts, Design& design) {
  design.batches = sorted_distinct(texts);
  std::erase(design.batches, "");
  for (const std::string& text : texts) {
    const auto found = std::lower_bound(design.batches.begin(), design.batches.end(), text);
    design.batch_of_cell.push_back(text.empty() ? -1 : static_cast<std::int32_t>(found - design.batches.begin()));
  }
}

}  // namespace

Design read_design(const Table& obs, const DesignOptions& options, const std::string& file) {
  Design design;
  design.options = options;
  const bool batched = options.batch_key != "none";
  const Column& row_column = find_column(obs, options.row_key, "--row-key", file);
  const Column& target_column = find_column(obs, options.target_key, "--target-key", file);
  const Column* const batch_column = batched ? &find_column(obs, options.batch_key, "--batch-key", file) : nullptr;
  const std::vector<std::string> ids = texts(row_column, options.row_key, file);
  const std::vector<std::string> targets = texts(target_column, options.target_key, file);
  const std::vector<std::string> batches =
      batched ? texts(*batch_column, options.batch_key, file) : std::vector<std::string>(ids.size());
  design.cell_names = obs.names;
  require_distinct(design.cell_names, file);
  for (const std::string& name : design.cell_names) require_plain(name, "cell name", file);

  std::map<std::string, DesignRow> rows;
  for (std::size_t cell = 0; cell < ids.size(); ++cell) {
    const auto place = static_cast<std::int64_t>(cell);
    if (targets[cell] == options.control_label) {
      design.nt_cells.push_back(place);
      continue;
    }
    if (targets[cell].empty() || ids[cell].empty()) continue;
    DesignRow& row = rows[ids[cell]];
    if (row.cells.empty()) {
      row.id = ids[cell];
      row.target = targets[cell];
    } else if (row.target != targets[cell]) {
      throw DataError(
          fmt::format("{}: the cells of row '{}' have two target genes, '{}' and '{}' (cell '{}'); a row has "
                      "one (reason=target_ambiguous)",
                      file, ids[cell], row.target, targets[cell], design.cell_names[cell]),
          {.file = file, .field = options.target_key, .row = place, .reason = "target_ambiguous"});
    }
    row.cells.push_back(place);
  }
  if (design.nt_cells.empty())
    throw DataError(fmt::format("{}: no cell has '{}' in obs column '{}': there are no controls; pass --control-label",
                                file, options.control_label, options.target_key),
                    {.file = file, .field = options.target_key, .reason = "no_controls"});
  for (auto& [id, row] : rows) design.rows.push_back(std::move(row));
  read_batches(batches, design);
  design.digest = design_digest(design.cell_names, ids, targets, batches);
  return design;
}

}  // namespace scvet::trial
