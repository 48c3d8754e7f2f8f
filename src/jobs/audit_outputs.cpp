#include "audit_outputs.h"

#include <fmt/format.h>

#include <cmath>

#include "scvet/base/text.h"

namespace scvet::jobs {
namespace {

using audit::CellOutcome;
using audit::DatasetAudit;
using nlohmann::json;

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

// NaN becomes null: JSON has no NaN.
json number(double value) { return std::isnan(value) ? json(nullptr) : json(value); }

json share_json(const audit::Share& share) {
  return {{"hits", share.hits}, {"n", share.n}, {"share", number(share.share)}, {"low", number(share.low)},
          {"high", number(share.high)}};
}

json groups_json(const std::vector<audit::GroupSummary>& groups) {
  json rows = json::array();
  for (const audit::GroupSummary& group : groups)
    rows.push_back({{"level", group.level},
                    {"n_cells", group.n_cells},
                    {"n_exact", group.n_exact},
                    {"n_same_cell", group.n_same_cell},
                    {"n_suspect", group.n_suspect},
                    {"n_undecidable_rare", group.n_undecidable_rare},
                    {"n_clean", group.n_clean},
                    {"mean_jstar", number(group.mean_jstar)},
                    {"exposed", share_json(group.exposed)}});
  return rows;
}

json false_positives_json(const audit::FalsePositives& control) {
  json types = json::array(), pairs = json::array();
  for (const auto& type : control.types)
    types.push_back({{"label", type.label},
                     {"n_cells", type.n_cells},
                     {"n_tested", type.n_tested},
                     {"n_suspect", type.n_suspect},
                     {"n_same_cell", type.n_same_cell},
                     {"rare_tested", type.rare_tested},
                     {"rare_flagged", type.rare_flagged}});
  for (const auto& pair : control.pairs)
    pairs.push_back({{"cell", pair.cell},
                     {"match", pair.match},
                     {"p_same", number(pair.p_same)},
                     {"lift", number(pair.lift)},
                     {"jaccard", number(pair.jaccard)},
                     {"flag", pair.flag}});
  return {{"split", control.split},
          {"n_cells", control.n_cells},
          {"n_tested", control.n_tested},
          {"at_05", share_json(control.at_05)},
          {"at_01", share_json(control.at_01)},
          {"at_001", share_json(control.at_001)},
          {"n_same_cell", control.n_same_cell},
          {"n_undecidable_rare", control.n_undecidable_rare},
          {"n_exact", control.n_exact},
          {"calibrated", control.calibrated},
          {"reason", control.reason},
          {"types", types},
          {"pairs", pairs}};
}

const char* verdict_name(audit::VerdictKind kind) {
  switch (kind) {
    case audit::VerdictKind::kExposed: return "exposed";
    case audit::VerdictKind::kClearedBelow: return "cleared_below";
    case audit::VerdictKind::kUndecided: return "undecided";
  }
  return "undecided";
}

}  // namespace

Table cells_table(const std::vector<DatasetAudit>& datasets, const std::vector<AuditedCells>& cells,
                  const std::vector<std::string>& panels) {
  Table table;
  table.index_name = "cell";
  for (const AuditedCells& set : cells) table.names.insert(table.names.end(), set.names.begin(), set.names.end());
  CellColumns columns(table);
  const auto outcome = [&](std::size_t set, std::size_t cell) -> const CellOutcome& { return datasets[set].cells[cell]; };
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
  add("multiplicity", [&](const CellOutcome& cell) { return found(cell) ? std::to_string(cell.best.multiplicity) : ""; });
  add("j2", [](const CellOutcome& cell) { return cell.second.row >= 0 ? format_number(cell.second.jaccard()) : ""; });
  add("containment", [](const CellOutcome& cell) {
    return cell.size ? format_number(static_cast<double>(cell.containment.intersection) / cell.size) : "";
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
  add("p_uniform", none);
  add("excess_frequency", none);
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
  add("panel", [&](const CellOutcome& cell) { return panels[static_cast<std::size_t>(cell.group)]; });
  return table;
}

std::vector<Column> annotation_columns(const DatasetAudit& dataset, const AuditedCells& cells) {
  std::vector<double> jstar, p, q, lift;
  std::vector<std::int64_t> size;
  std::vector<std::string> status, flags, exposure, file, cell_name, donor, corpus_dataset;
  for (std::size_t cell = 0; cell < dataset.cells.size(); ++cell) {
    const CellOutcome& outcome = dataset.cells[cell];
    jstar.push_back(outcome.best.jaccard());
    p.push_back(outcome.p_same);
    q.push_back(outcome.q_same);
    lift.push_back(outcome.lift);
    size.push_back(outcome.size);
    status.emplace_back(audit::status_name(outcome.status));
    flags.push_back(flags_text(outcome).empty() ? "none" : flags_text(outcome));
    exposure.emplace_back(audit::exposure_name(outcome.exposure));
    file.push_back(cells.match[cell].file);
    cell_name.push_back(cells.match[cell].cell);
    donor.push_back(cells.match[cell].donor);
    corpus_dataset.push_back(cells.match[cell].dataset);
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

json dataset_json(const DatasetAudit& dataset) {
  json result = {{"name", dataset.name},
                 {"n_cells", dataset.cells.size()},
                 {"n_empty", dataset.n_empty},
                 {"n_too_few_genes", dataset.n_too_few},
                 {"n_undecidable_rare", dataset.n_undecidable_rare},
                 {"n_clean", dataset.n_clean},
                 {"n_crowded", dataset.n_crowded},
                 {"n_benchmark_duplicate", dataset.n_benchmark_duplicate},
                 {"exposed", share_json(dataset.exposed)},
                 {"exact", share_json(dataset.flagged_exact)},
                 {"same_cell", share_json(dataset.flagged_same_cell)},
                 {"suspect", share_json(dataset.flagged_suspect)},
                 {"by_label", groups_json(dataset.by_label)},
                 {"by_donor", groups_json(dataset.by_donor)},
                 {"by_batch", groups_json(dataset.by_batch)},
                 {"false_positives", false_positives_json(dataset.false_positives)}};
  result["verdict"] = {{"kind", verdict_name(dataset.verdict.kind)},
                       {"cleared_below", number(dataset.verdict.cleared_below)},
                       {"sentence", dataset.verdict.sentence},
                       {"reasons", dataset.verdict.reasons}};
  const audit::MembershipShare& share = dataset.membership;
  result["membership"] = {{"estimate", number(share.estimate)},     {"low", number(share.low)},
                          {"high", number(share.high)},             {"power", number(share.power)},
                          {"thinning", share.thinning},             {"fpr", number(share.fpr)},
                          {"sampled_share", share.sampled},         {"donor_low", number(share.donor_low)},
                          {"donor_high", number(share.donor_high)}};
  result["fits"] = json::array();
  for (const audit::LiftFit& fit : dataset.fits)
    result["fits"].push_back({{"mean_ln_size", number(fit.mean_ln_size)},
                              {"coefficients",
                               {number(fit.coefficients[0]), number(fit.coefficients[1]), number(fit.coefficients[2])}},
                              {"median", number(fit.median)},
                              {"scale", number(fit.scale)},
                              {"n_cells", fit.n_cells}});
  result["identities"] = json::array();
  for (const audit::IdentitySummary& identity : dataset.identities)
    result["identities"].push_back({{"name", identity.name},
                                    {"n_matched", identity.n_matched},
                                    {"benchmark_pairs", identity.benchmark_pairs},
                                    {"corpus_pairs", identity.corpus_pairs},
                                    {"proves", identity.proves}});
  result["plants"] = json::array();
  for (const audit::PlantPower& plant : dataset.plants)
    result["plants"].push_back({{"kept", plant.kept}, {"found", share_json(plant.found)}, {"by_gene", plant.by_gene}});
  return result;
}

std::string clean_cells_text(const std::vector<DatasetAudit>& datasets, const std::vector<AuditedCells>& cells) {
  std::string text = "# Cells that this audit did not find in the corpus. Not found is not proven absent.\n";
  for (std::size_t set = 0; set < datasets.size(); ++set) {
    const DatasetAudit& dataset = datasets[set];
    text += fmt::format("# {}: a copy thinned to {} would be found with probability {}; sampled share of the corpus {}\n",
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
