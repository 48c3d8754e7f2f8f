#include "audit_outputs.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>

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

std::string number_text(double value) { return std::isnan(value) ? "" : format_number(value); }

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// Columns filled cell by cell over all data sets; `value(dataset, cell)` gives one.
class CellColumns {
 public:
  CellColumns(Table& table, const std::vector<DatasetAudit>& datasets) : table_(table), datasets_(datasets) {}

  // "" is missing.
  template <typename Value>
  void text(const char* name, const Value& value) {
    Column column = string_column(name, gather<std::string>(value));
    for (const std::string& entry : column.strings) column.missing.push_back(entry.empty());
    table_.columns.push_back(std::move(column));
  }
  // NaN is missing.
  template <typename Value>
  void real(const char* name, const Value& value) {
    table_.columns.push_back(real_column(name, gather<double>(value)));
  }
  // nullopt is missing.
  template <typename Value>
  void integer(const char* name, const Value& value) {
    table_.columns.push_back(with_missing(integer_column(name, {}), gather<std::optional<std::int64_t>>(value)));
  }
  template <typename Value>
  void boolean(const char* name, const Value& value) {
    table_.columns.push_back(with_missing(boolean_column(name, {}), gather<std::optional<std::int64_t>>(value)));
  }

 private:
  template <typename Entry, typename Value>
  std::vector<Entry> gather(const Value& value) const {
    std::vector<Entry> entries;
    for (std::size_t set = 0; set < datasets_.size(); ++set)
      for (std::size_t cell = 0; cell < datasets_[set].cells.size(); ++cell) entries.push_back(value(set, cell));
    return entries;
  }
  static Column with_missing(Column column, const std::vector<std::optional<std::int64_t>>& entries) {
    for (const auto& entry : entries) {
      column.integers.push_back(entry.value_or(0));
      column.missing.push_back(!entry);
    }
    return column;
  }

  Table& table_;
  const std::vector<DatasetAudit>& datasets_;
};

}  // namespace

Table cells_table(const std::vector<DatasetAudit>& datasets, const std::vector<AuditedCells>& cells) {
  Table table;
  table.index_name = "cell";
  for (const AuditedCells& set : cells) table.names.insert(table.names.end(), set.names.begin(), set.names.end());
  CellColumns columns(table, datasets);
  using Whole = std::optional<std::int64_t>;
  const auto of = [&](const auto& of_outcome) {
    return [&datasets, of_outcome](std::size_t set, std::size_t at) { return of_outcome(datasets[set].cells[at]); };
  };
  const auto row = [&](std::vector<std::int64_t> AuditedCells::*rows) {
    return [&cells, rows](std::size_t set, std::size_t at) {
      const std::int64_t found = (cells[set].*rows)[at];
      return found < 0 ? Whole() : Whole(found);
    };
  };
  const auto match = [&](std::string MatchOrigin::*field) {
    return [&cells, field](std::size_t set, std::size_t at) { return cells[set].match[at].*field; };
  };
  const auto found = [](const CellOutcome& cell) { return cell.best.row >= 0; };

  columns.text("status", of([](const CellOutcome& cell) { return std::string(audit::status_name(cell.status)); }));
  columns.integer("size", of([](const CellOutcome& cell) { return Whole(cell.size); }));
  columns.real("jstar", of([](const CellOutcome& cell) { return cell.best.jaccard(); }));
  columns.integer("row", row(&AuditedCells::nearest_row));
  columns.integer("multiplicity",
                  of([&](const CellOutcome& cell) { return found(cell) ? Whole(cell.best.multiplicity) : Whole(); }));
  columns.real("j2",
               of([](const CellOutcome& cell) { return cell.second.row >= 0 ? cell.second.jaccard() : kMissing; }));
  columns.real("containment", [&](std::size_t set, std::size_t at) {
    const sketch::EngineRecord* engine = datasets[set].engine;
    const CellOutcome& cell = datasets[set].cells[at];
    if (cell.size == 0 || (engine && !engine->containment)) return kMissing;
    return static_cast<double>(cell.containment.intersection) / static_cast<double>(cell.size);
  });
  columns.integer("containment_row", row(&AuditedCells::containment_row));
  columns.real("rho", of([&](const CellOutcome& cell) { return found(cell) ? cell.rho : kMissing; }));
  columns.real("p_same", of([](const CellOutcome& cell) { return cell.p_same; }));
  columns.integer("d", of([](const CellOutcome& cell) { return cell.d > 0 ? Whole(cell.d) : Whole(); }));
  columns.real("lift", of([](const CellOutcome& cell) { return cell.lift; }));
  columns.real("z_background", of([](const CellOutcome& cell) { return cell.z_background; }));
  columns.real("q_same", of([](const CellOutcome& cell) { return cell.q_same; }));
  // Columns of the nulls that were not asked for stay empty, so that the table has one shape.
  columns.real("p_conformal", of([](const CellOutcome&) { return kMissing; }));
  columns.text("stratum", of([](const CellOutcome&) { return std::string(); }));
  columns.real("p_uniform", of([](const CellOutcome& cell) { return cell.p_uniform; }));
  columns.real("excess_frequency", of([](const CellOutcome& cell) { return cell.excess_frequency; }));
  columns.integer("identical_set", row(&AuditedCells::identical_set));
  columns.integer("identical_counts", row(&AuditedCells::identical_counts));
  columns.integer("identical_order", row(&AuditedCells::identical_order));
  columns.text("flags", of(flags_text));
  columns.text("exposure",
               of([](const CellOutcome& cell) { return std::string(audit::exposure_name(cell.exposure)); }));
  columns.text("match_file", match(&MatchOrigin::file));
  columns.text("match_cell", match(&MatchOrigin::cell));
  columns.text("match_donor", match(&MatchOrigin::donor));
  columns.text("match_dataset", match(&MatchOrigin::dataset));
  columns.text("notes", of(notes_text));
  columns.text("dataset", [&](std::size_t set, std::size_t) { return datasets[set].name; });
  columns.integer("panel", of([](const CellOutcome& cell) { return Whole(cell.group); }));
  columns.real("j_mean_uniform", of([](const CellOutcome& cell) { return cell.uniform.mean; }));
  columns.real("j_sd_uniform", of([](const CellOutcome& cell) { return cell.uniform.sd; }));
  columns.real("j_max_uniform", of([](const CellOutcome& cell) { return cell.uniform.max; }));
  columns.real("j_mean_frequency", of([](const CellOutcome& cell) { return cell.frequency.mean; }));
  columns.real("j_sd_frequency", of([](const CellOutcome& cell) { return cell.frequency.sd; }));
  columns.boolean("no_candidate", [&](std::size_t set, std::size_t at) {
    const sketch::EngineRecord* engine = datasets[set].engine;
    return !engine || engine->all_compared ? Whole() : Whole(datasets[set].cells[at].no_candidate);
  });
  return table;
}

std::vector<Column> annotation_columns(const std::vector<const CellOutcome*>& outcomes,
                                       const std::vector<const MatchOrigin*>& matches) {
  std::vector<double> jstar, p, q, lift, p_uniform, excess;
  bool uniform = false, frequency = false;  // columns of nulls that were asked for
  std::vector<std::int64_t> size;
  std::vector<std::string> status, flags, exposure, file, cell_name, donor, corpus_dataset;
  for (std::size_t cell = 0; cell < outcomes.size(); ++cell) {
    const CellOutcome& outcome = *outcomes[cell];
    jstar.push_back(outcome.best.jaccard());
    p.push_back(outcome.p_same);
    q.push_back(outcome.q_same);
    lift.push_back(outcome.lift);
    p_uniform.push_back(outcome.p_uniform);
    excess.push_back(outcome.excess_frequency);
    uniform = uniform || !std::isnan(outcome.p_uniform);
    frequency = frequency || !std::isnan(outcome.excess_frequency);
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
  if (uniform) columns.push_back(real_column("scvet_p_uniform", p_uniform));
  if (frequency) columns.push_back(real_column("scvet_excess_frequency", excess));
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
