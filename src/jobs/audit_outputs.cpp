#include "audit_outputs.h"

#include <fmt/format.h>

#include <cmath>

#include "scvet/base/text.h"

namespace scvet::jobs {
namespace {

using audit::CellOutcome;
using audit::DatasetAudit;

std::string flags_text(const CellOutcome& cell) {
  std::vector<std::string> flags;
  if (cell.exact) flags.emplace_back("exact");
  if (cell.suspect) flags.emplace_back("suspect");
  if (cell.same_cell) flags.emplace_back("same_cell");
  if (cell.benchmark_duplicate) flags.emplace_back("benchmark_duplicate");
  return join(flags, ";");
}

std::string notes_text(const CellOutcome& cell) {
  std::vector<std::string> notes;
  if (cell.crowded) notes.emplace_back("crowded");
  if (cell.rare_label) notes.emplace_back("rare_label");
  return join(notes, ";");
}

std::string row_text(std::int64_t row) { return row < 0 ? "" : std::to_string(row); }
std::string number_text(double value) { return std::isnan(value) ? "" : format_number(value); }

// A column filled cell by cell over all data sets.
class CellColumns {
 public:
  explicit CellColumns(Table& table) : table_(table) {}
  template <typename Value>
  void add(const char* name, const std::vector<DatasetAudit>& datasets, const Value& value) {
    std::vector<std::string> texts;
    for (std::size_t dataset = 0; dataset < datasets.size(); ++dataset)
      for (std::size_t cell = 0; cell < datasets[dataset].cells.size(); ++cell) texts.push_back(value(dataset, cell));
    table_.columns.push_back(string_column(name, std::move(texts)));
  }

 private:
  Table& table_;
};

}  // namespace

Table cells_table(const std::vector<DatasetAudit>& datasets, const std::vector<AuditedCells>& cells) {
  Table table;
  table.index_name = "cell";
  for (const AuditedCells& set : cells) table.names.insert(table.names.end(), set.names.begin(), set.names.end());
  CellColumns columns(table);
  const auto outcome = [&](std::size_t set, std::size_t cell) -> const CellOutcome& {
    return datasets[set].cells[cell];
  };
  const auto add = [&](const char* name, const auto& of_outcome) {
    columns.add(name, datasets, [&](std::size_t set, std::size_t cell) { return of_outcome(outcome(set, cell)); });
  };
  const auto add_row = [&](const char* name, std::vector<std::int64_t> AuditedCells::*rows) {
    columns.add(name, datasets, [&](std::size_t set, std::size_t cell) { return row_text((cells[set].*rows)[cell]); });
  };
  const auto add_match = [&](const char* name, std::string MatchOrigin::*field) {
    columns.add(name, datasets, [&](std::size_t set, std::size_t cell) { return cells[set].match[cell].*field; });
  };
  const auto none = [](const CellOutcome&) { return std::string(); };
  const auto found = [](const CellOutcome& cell) { return cell.best.row >= 0; };

  add("status", [](const CellOutcome& cell) { return std::string(audit::status_name(cell.status)); });
  add("size", [](const CellOutcome& cell) { return std::to_string(cell.size); });
  add("jstar", [](const CellOutcome& cell) { return format_number(cell.best.jaccard()); });
  add_row("row", &AuditedCells::nearest_row);
  add("multiplicity",
      [&](const CellOutcome& cell) { return found(cell) ? std::to_string(cell.best.multiplicity) : ""; });
  add("j2", [](const CellOutcome& cell) { return cell.second.row >= 0 ? format_number(cell.second.jaccard()) : ""; });
  columns.add("containment", datasets, [&](std::size_t set, std::size_t at) -> std::string {
    const sketch::EngineRecord* engine = datasets[set].engine;
    const CellOutcome& cell = datasets[set].cells[at];
    if (cell.size == 0 || (engine && !engine->containment)) return "";
    return format_number(static_cast<double>(cell.containment.intersection) / cell.size);
  });
  add_row("containment_row", &AuditedCells::containment_row);
  add("rho", [&](const CellOutcome& cell) { return found(cell) ? number_text(cell.rho) : ""; });
  add("p_same", [](const CellOutcome& cell) { return number_text(cell.p_same); });
  add("d", [](const CellOutcome& cell) { return cell.d > 0 ? std::to_string(cell.d) : ""; });
  add("lift", [](const CellOutcome& cell) { return number_text(cell.lift); });
  add("z_background", [](const CellOutcome& cell) { return number_text(cell.z_background); });
  add("q_same", [](const CellOutcome& cell) { return number_text(cell.q_same); });
  // Columns of the nulls that were not asked for stay empty, so that the table has one shape.
  add("p_conformal", none);
  add("stratum", none);
  add("p_uniform", [](const CellOutcome& cell) { return number_text(cell.p_uniform); });
  add("excess_frequency", [](const CellOutcome& cell) { return number_text(cell.excess_frequency); });
  add_row("identical_set", &AuditedCells::identical_set);
  add_row("identical_counts", &AuditedCells::identical_counts);
  add_row("identical_order", &AuditedCells::identical_order);
  add("flags", flags_text);
  add("exposure", [](const CellOutcome& cell) { return std::string(audit::exposure_name(cell.exposure)); });
  add_match("match_file", &MatchOrigin::file);
  add_match("match_cell", &MatchOrigin::cell);
  add_match("match_donor", &MatchOrigin::donor);
  add_match("match_dataset", &MatchOrigin::dataset);
  add("notes", notes_text);
  columns.add("dataset", datasets, [&](std::size_t set, std::size_t) { return datasets[set].name; });
  add("panel", [](const CellOutcome& cell) { return std::to_string(cell.group); });
  add("j_mean_uniform", [](const CellOutcome& cell) { return number_text(cell.uniform.mean); });
  add("j_sd_uniform", [](const CellOutcome& cell) { return number_text(cell.uniform.sd); });
  add("j_max_uniform", [](const CellOutcome& cell) { return number_text(cell.uniform.max); });
  add("j_mean_frequency", [](const CellOutcome& cell) { return number_text(cell.frequency.mean); });
  add("j_sd_frequency", [](const CellOutcome& cell) { return number_text(cell.frequency.sd); });
  columns.add("no_candidate", datasets, [&](std::size_t set, std::size_t at) -> std::string {
    const sketch::EngineRecord* engine = datasets[set].engine;
    if (!engine || engine->all_compared) return "";
    return datasets[set].cells[at].no_candidate ? "true" : "false";
  });
  return table;
}

std::vector<Column> annotation_columns(const std::vector<const CellOutcome*>& outcomes,
                                       const std::vector<const MatchOrigin*>& matches) {
  std::vector<double> jstar, p, q, lift;
  std::vector<std::int64_t> size;
  std::vector<std::string> status, flags, exposure, file, cell_name, donor, corpus_dataset;
  for (std::size_t cell = 0; cell < outcomes.size(); ++cell) {
    const CellOutcome& outcome = *outcomes[cell];
    jstar.push_back(outcome.best.jaccard());
    p.push_back(outcome.p_same);
    q.push_back(outcome.q_same);
    lift.push_back(outcome.lift);
    size.push_back(outcome.size);
    status.emplace_back(audit::status_name(outcome.status));
    flags.push_back(flags_text(outcome).empty() ? "none" : flags_text(outcome));
    exposure.emplace_back(audit::exposure_name(outcome.exposure));
    file.push_back(matches[cell]->file);
    cell_name.push_back(matches[cell]->cell);
    donor.push_back(matches[cell]->donor);
    corpus_dataset.push_back(matches[cell]->dataset);
  }
  std::vector<Column> columns;
  columns.push_back(real_column("scvet_jstar", jstar));
  columns.push_back(real_column("scvet_p", p));
  columns.push_back(real_column("scvet_q", q));
  columns.push_back(real_column("scvet_lift", lift));
  columns.push_back(integer_column("scvet_size", size));
  columns.push_back(categorical_column("scvet_status", status));
  columns.push_back(categorical_column("scvet_flags", flags));
  columns.push_back(categorical_column("scvet_exposure", exposure));
  columns.push_back(categorical_column("scvet_match_file", file));
  columns.push_back(string_column("scvet_match_cell", cell_name));
  columns.push_back(categorical_column("scvet_match_donor", donor));
  columns.push_back(categorical_column("scvet_match_dataset", corpus_dataset));
  return columns;
}

std::string clean_cells_text(const std::vector<DatasetAudit>& datasets, const std::vector<AuditedCells>& cells) {
  std::string text = "# Cells that this audit did not find in the corpus. Not found is not proven absent.\n";
  for (std::size_t set = 0; set < datasets.size(); ++set) {
    const DatasetAudit& dataset = datasets[set];
    text +=
        fmt::format("# {}: a copy thinned to {} would be found with probability {}; sampled share of the corpus {}\n",
                    dataset.name, format_percent(dataset.membership.thinning, 0),
                    number_text(dataset.membership.power).empty() ? "unknown" : format_number(dataset.membership.power),
                    format_number(dataset.membership.sampled));
  }
  for (std::size_t set = 0; set < datasets.size(); ++set)
    for (std::size_t cell = 0; cell < datasets[set].cells.size(); ++cell)
      if (datasets[set].cells[cell].exposure == audit::Exposure::kClean)
        text += datasets.size() > 1 ? datasets[set].name + "\t" + cells[set].names[cell] + "\n"
                                    : cells[set].names[cell] + "\n";
  return text;
}

}  // namespace scvet::jobs
