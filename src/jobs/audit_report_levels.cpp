// Which cells are flagged: shares by flag, type, donor and batch, and where the matches come from.
#include <algorithm>
#include <cmath>

#include "audit_report_parts.h"
#include "scvet/base/text.h"

namespace scvet::jobs::audit_page {

using report::Cell;
using report::Grid;
using report::Page;

namespace {

constexpr std::size_t kChartLevels = 30;   // rows of a chart
constexpr std::size_t kTableLevels = 200;  // rows of a table

struct LevelSet {
  const char* what;    // "type"
  const char* prefix;  // of ids
  const std::string* key;
  const std::vector<audit::GroupSummary>* levels;
};

Grid level_grid(const LevelSet& set, const std::vector<audit::GroupSummary>& levels, const std::string& id) {
  Grid grid{.id = id,
            .caption = "By " + std::string(set.what) + (set.key->empty() ? "" : " (obs column " + *set.key + ")"),
            .columns = {},
            .rows = {}};
  std::string title = set.what;
  title[0] = static_cast<char>(title[0] - 'a' + 'A');
  grid.columns = {{.name = title},
                  {.name = "Cells", .numeric = true},
                  {.name = "Mean J*", .numeric = true},
                  {.name = "Exposed", .numeric = true},
                  {.name = "Share", .numeric = true},
                  {.name = "95 % interval", .numeric = true, .explanation = "Clopper-Pearson"},
                  {.name = "Exact", .numeric = true},
                  {.name = "Same cell", .numeric = true},
                  {.name = "Suspect", .numeric = true},
                  {.name = "Undecidable", .numeric = true},
                  {.name = "Not found", .numeric = true}};
  for (std::size_t at = 0; at < levels.size() && at < kTableLevels; ++at) {
    const audit::GroupSummary& level = levels[at];
    grid.rows.push_back({level.level.empty() ? "(missing)" : level.level, report::count_cell(level.n_cells),
                         report::fixed_cell(level.mean_jstar, 3), report::count_cell(level.exposed.hits),
                         share_cell(level.exposed), report::interval_cell(level.exposed.low, level.exposed.high),
                         report::count_cell(level.n_exact), report::count_cell(level.n_same_cell),
                         report::count_cell(level.n_suspect), report::count_cell(level.n_undecidable_rare),
                         report::count_cell(level.n_clean)});
  }
  if (levels.size() > kTableLevels)
    grid.note = "The " + std::to_string(kTableLevels) + " with the largest exposed share of " +
                format_count(static_cast<std::int64_t>(levels.size())) + "; all are in audit.json.";
  return grid;
}

void add_level_set(Page& page, const LevelSet& set, std::size_t number) {
  if (set.levels->empty()) return;
  std::vector<audit::GroupSummary> levels = *set.levels;
  std::stable_sort(levels.begin(), levels.end(), [](const audit::GroupSummary& a, const audit::GroupSummary& b) {
    const double share_a = std::isnan(a.exposed.share) ? -1 : a.exposed.share;
    const double share_b = std::isnan(b.exposed.share) ? -1 : b.exposed.share;
    return share_a != share_b ? share_a > share_b : a.n_cells > b.n_cells;
  });
  const std::string id = numbered(set.prefix, number);
  std::vector<report::Interval> rows;
  for (const audit::GroupSummary& level : levels)
    if (rows.size() < kChartLevels && !std::isnan(level.exposed.share))
      rows.push_back({level.level.empty() ? "(missing)" : level.level, "", level.exposed.share, level.exposed.low,
                      level.exposed.high});
  const bool any_exposed = std::any_of(levels.begin(), levels.end(),
                                       [](const audit::GroupSummary& level) { return level.exposed.hits > 0; });
  if (rows.size() > 1 && any_exposed)
    page.chart(report::interval_chart(
        {.id = id,
         .caption = "Share of cells exposed by " + std::string(set.what),
         .alt = "Share of exposed cells per " + std::string(set.what) + " with 95 % intervals, largest first.",
         .note = levels.size() > rows.size() ? "The first " + std::to_string(rows.size()) + " of the table below." : "",
         .x_title = "cells exposed",
         .y_title = ""},
        rows));
  page.table(level_grid(set, levels, id));
}

Grid hits_grid(const std::vector<CorpusHits>& hits, bool by_donor, const std::string& id) {
  Grid grid{
      .id = id, .caption = by_donor ? "By corpus donor" : "By corpus data set and file", .columns = {}, .rows = {}};
  if (by_donor) grid.columns.push_back({.name = "Corpus donor"});
  grid.columns.push_back({.name = "Corpus data set"});
  grid.columns.push_back({.name = "File"});
  for (const char* const name : {"Cells hit", "Exact", "Same cell", "Suspect only"})
    grid.columns.push_back({.name = name, .numeric = true});
  for (std::size_t at = 0; at < hits.size() && at < kTableLevels; ++at) {
    std::vector<Cell> row;
    if (by_donor) row.emplace_back(stated(hits[at].donor));
    row.emplace_back(stated(hits[at].dataset));
    row.emplace_back(stated(hits[at].file));
    for (const std::int64_t count : {hits[at].total(), hits[at].n_exact, hits[at].n_same_cell, hits[at].n_suspect})
      row.push_back(report::count_cell(count));
    grid.rows.push_back(std::move(row));
  }
  grid.note = "Each flagged benchmark cell is counted once, under its strongest flag.";
  if (hits.size() > kTableLevels)
    grid.note += " The first " + std::to_string(kTableLevels) + " of " +
                 format_count(static_cast<std::int64_t>(hits.size())) + "; all are in audit.json.";
  return grid;
}

}  // namespace

void add_shares(Page& page, const AuditReportInput& input) {
  page.section("Share of cells flagged", "shares");
  struct Kind {
    const char *name, *colour;
    const audit::Share& (*of)(const audit::DatasetAudit&);
  };
  static const Kind kKinds[] = {
      {"exposed", report::kColourDark,
       [](const audit::DatasetAudit& outcome) -> const audit::Share& { return outcome.exposed; }},
      {"exact", report::kColourBad,
       [](const audit::DatasetAudit& outcome) -> const audit::Share& { return outcome.flagged_exact; }},
      {"same cell", report::kColourGood,
       [](const audit::DatasetAudit& outcome) -> const audit::Share& { return outcome.flagged_same_cell; }},
      {"suspect", "#b0568f",
       [](const audit::DatasetAudit& outcome) -> const audit::Share& { return outcome.flagged_suspect; }}};
  std::vector<report::Interval> rows;
  std::vector<std::pair<std::string, std::string>> colours;
  for (const Kind& kind : kKinds) colours.emplace_back(kind.name, kind.colour);
  Grid grid{.id = "shares", .caption = "", .columns = {}, .rows = {}};
  grid.columns = {{.name = "Data set"},
                  {.name = "Flag"},
                  {.name = "Cells", .numeric = true},
                  {.name = "of", .numeric = true},
                  {.name = "Share", .numeric = true},
                  {.name = "95 % interval", .numeric = true, .explanation = "Clopper-Pearson"}};
  for (const ReportDataset& dataset : input.datasets)
    for (const Kind& kind : kKinds) {
      const audit::Share& share = kind.of(*dataset.outcome);
      grid.rows.push_back({dataset.outcome->name, kind.name, report::count_cell(share.hits),
                           report::count_cell(share.n), share_cell(share),
                           report::interval_cell(share.low, share.high, 2)});
      if (!std::isnan(share.share))
        rows.push_back({dataset.outcome->name, kind.name, share.share, share.low, share.high});
    }
  if (!rows.empty())
    page.chart(report::interval_chart(
        {.id = "shares",
         .caption = "Share of cells by flag, with 95 % intervals",
         .alt = "Share of cells per data set that are exposed, exact, same cell or suspect, with 95 % intervals.",
         .note = "",
         .x_title = "share of cells",
         .y_title = ""},
        rows, colours));
  page.table(grid);
}

void add_levels(Page& page, const AuditReportInput& input) {
  page.section("By type, donor and batch", "levels");
  std::size_t number = 0;
  for (const ReportDataset& dataset : input.datasets) {
    const audit::DatasetAudit& outcome = *dataset.outcome;
    if (input.datasets.size() > 1) page.subsection(outcome.name);
    if (outcome.by_label.empty() && outcome.by_donor.empty() && outcome.by_batch.empty())
      page.paragraph("This data set names no type, donor or batch (--label-key, --donor-key, --batch-key).");
    add_level_set(page, {"type", "label", &dataset.label_key, &outcome.by_label}, number);
    add_level_set(page, {"donor", "donor", &dataset.donor_key, &outcome.by_donor}, number);
    add_level_set(page, {"batch", "batch", &dataset.batch_key, &outcome.by_batch}, number);
    const std::int64_t n_donors =
        std::count_if(outcome.by_donor.begin(), outcome.by_donor.end(),
                      [](const audit::GroupSummary& donor) { return donor.exposed.hits > 0; });
    if (n_donors > 0)
      page.paragraph(plural(n_donors, "donor", "donors") + " of " +
                     format_count(static_cast<std::int64_t>(outcome.by_donor.size())) + " " +
                     (n_donors == 1 ? "has" : "have") +
                     " at least one exposed cell; such a donor counts as exposed as a whole.");
    ++number;
  }
}

void add_corpus_hits(Page& page, const AuditReportInput& input) {
  page.section("Where the matches come from", "corpus-hits");
  page.paragraph(
      "Flagged cells by the origin of the matched corpus cell. Many hits in one study mean that this study, or "
      "part of it, is on both sides.");
  std::size_t number = 0;
  for (const ReportDataset& dataset : input.datasets) {
    if (input.datasets.size() > 1) page.subsection(dataset.outcome->name);
    const std::vector<CorpusHits> by_set = corpus_hits(dataset, false);
    if (by_set.empty()) {
      page.paragraph("No cell is flagged.");
    } else {
      std::vector<report::Bar> bars;
      for (std::size_t at = 0; at < by_set.size() && at < kChartLevels; ++at)
        bars.push_back({by_set[at].dataset.empty()
                            ? (by_set[at].file.empty() ? "not stated" : base_name(by_set[at].file))
                            : by_set[at].dataset,
                        static_cast<double>(by_set[at].total())});
      if (bars.size() > 1)
        page.chart(report::bar_chart({.id = numbered("hits", number),
                                      .caption = "Cells hit by corpus data set",
                                      .alt = "Number of flagged benchmark cells per corpus data set, largest first.",
                                      .note = "",
                                      .x_title = "benchmark cells",
                                      .y_title = ""},
                                     bars));
      page.table(hits_grid(by_set, false, numbered("hits", number)));
      const std::vector<CorpusHits> by_donor = corpus_hits(dataset, true);
      const bool donors_known =
          std::any_of(by_donor.begin(), by_donor.end(), [](const CorpusHits& hits) { return !hits.donor.empty(); });
      if (donors_known)
        page.table(hits_grid(by_donor, true, numbered("hits-donor", number)));
      else
        page.paragraph("The corpus does not name the donors of these cells.");
    }
    ++number;
  }
}

}  // namespace scvet::jobs::audit_page
