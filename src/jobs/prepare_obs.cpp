#include "prepare_obs.h"

#include <fmt/format.h>

#include <algorithm>

#include "scvet/base/error.h"
#include "scvet/base/text.h"
#include "scvet/data/groups.h"

namespace scvet::jobs {
namespace {

void require_distinct_cells(const Table& obs, const std::string& file) {
  const Duplicate duplicate = find_duplicate(obs.names);
  if (duplicate.row_a < 0) return;
  throw DataError(
      fmt::format("{}: cell name '{}' stands in rows {} and {} of obs, and {} rows repeat a name; cells are "
                  "joined by name, so give each its own",
                  file, duplicate.name, duplicate.row_a, duplicate.row_b, format_count(duplicate.n_duplicated)),
      {.file = file, .field = "obs", .row = duplicate.row_b, .reason = "duplicate_cells"});
}

// Puts `column` in, unless obs has it already.
ColumnFate place(const Table& obs, Column column, const PrepareOptions& options, const std::string& file,
                 ObsChoice& choice) {
  const Column* old = obs.find(column.name);
  ColumnFate fate = ColumnFate::kAdded;
  if (old) {
    const std::int64_t differing = count_differing(*old, column);
    if (differing == 0) return ColumnFate::kSame;
    if (!options.overwrite_obs) {
      std::int64_t row = 0;
      while (old->text(row) == column.text(row)) ++row;
      throw DataError(
          fmt::format("{}: obs['{}'] is there and differs in {} of {} cells (cell {}: '{}', would be '{}'); "
                      "rename it, or pass --overwrite-obs",
                      file, column.name, format_count(differing), format_count(obs.rows()),
                      obs.names[static_cast<std::size_t>(row)], old->text(row), column.text(row)),
          {.file = file, .field = column.name, .row = row, .reason = "column_differs"});
    }
    choice.notes.push_back(fmt::format("obs['{}'] was replaced: {} of {} cells had another value", column.name,
                                       format_count(differing), format_count(obs.rows())));
    fate = ColumnFate::kReplaced;
  }
  choice.columns.push_back(std::move(column));
  return fate;
}

// The parts of batch_id; empty where they were not asked for and are not all there.
std::vector<const Column*> batch_parts(const Table& obs, const PrepareOptions& options, const std::string& file,
                                       ObsChoice& choice) {
  std::vector<const Column*> parts;
  std::vector<std::string> lacking;
  for (const std::string& name : options.batch_from) {
    if (options.batch_from_given)
      parts.push_back(&require_column(obs, name, file, "--batch-from"));
    else if (const Column* column = obs.find(name))
      parts.push_back(column);
    else
      lacking.push_back(name);
  }
  if (lacking.empty()) return parts;
  if (!obs.find("batch_id"))
    choice.notes.push_back(
        fmt::format("no batch_id was made, as obs has no {} (has: {}); --batch-from names the columns to make it of",
                    join(lacking, " and no "), obs.columns.empty() ? "no columns" : join_some(obs.column_names(), 12)));
  return {};
}

Column joined(const std::vector<const Column*>& parts, std::int64_t n_cells, std::int64_t& n_missing) {
  std::vector<std::string> values;
  values.reserve(static_cast<std::size_t>(n_cells));
  for (std::int64_t cell = 0; cell < n_cells; ++cell) {
    std::vector<std::string> texts;
    bool missing = false;
    for (const Column* part : parts) {
      texts.push_back(part->text(cell));
      missing = missing || texts.back().empty();
    }
    n_missing += missing;
    values.push_back(missing ? "" : join(texts, "|"));
  }
  return categorical_column("batch_id", values);
}

}  // namespace

const char* column_fate_name(ColumnFate fate) {
  switch (fate) {
    case ColumnFate::kAbsent:
      return "absent";
    case ColumnFate::kAdded:
      return "added";
    case ColumnFate::kSame:
      return "same";
    case ColumnFate::kReplaced:
      return "replaced";
  }
  return "absent";
}

std::int64_t count_differing(const Column& a, const Column& b) {
  std::int64_t differing = 0;
  for (std::int64_t row = 0; row < a.size(); ++row) differing += a.text(row) != b.text(row);
  return differing;
}

ObsChoice choose_obs_columns(const Table& obs, const PrepareOptions& options, const std::string& file) {
  ObsChoice choice;
  require_distinct_cells(obs, file);
  choice.barcode = place(obs, string_column("barcode", obs.names), options, file, choice);
  const std::vector<const Column*> parts = batch_parts(obs, options, file, choice);
  if (!parts.empty()) {
    Column batch = joined(parts, obs.rows(), choice.n_batch_missing);
    choice.batches = make_groups(batch).names;
    if (choice.n_batch_missing > 0)
      choice.notes.push_back(fmt::format("{} cells lack a value of {} and have no batch_id",
                                         format_count(choice.n_batch_missing), join(options.batch_from, " or ")));
    choice.batch = place(obs, std::move(batch), options, file, choice);
  } else if (const Column* kept = obs.find("batch_id")) {
    choice.batch = ColumnFate::kSame;
    choice.batches = make_groups(*kept).names;
  }
  const Column* label = obs.find(options.label_key);
  if (!label)
    choice.notes.push_back(
        fmt::format("obs has no '{}' (has: {}); the benchmark needs a column of cell types: name it "
                    "there with --label-key",
                    options.label_key, obs.columns.empty() ? "no columns" : join_some(obs.column_names(), 12)));
  return choice;
}

}  // namespace scvet::jobs
