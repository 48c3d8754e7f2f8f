// How the findings hang on the engine and other choices.
#include <algorithm>
#include <cmath>

#include "audit_report_parts.h"
#include "scvet/base/text.h"

namespace scvet::jobs::audit_page {

using report::Cell;
using report::Grid;
using report::Page;
using report::Tone;

namespace {

Cell count_or_undefined(std::int64_t count) { return count < 0 ? Cell("not defined") : report::count_cell(count); }

Cell verdict_cell(const audit::SensitivityRow& row) {
  std::string words = "Undecided";
  if (row.verdict == audit::VerdictKind::kExposed) words = "Exposed";
  if (row.verdict == audit::VerdictKind::kClearedBelow) words = "Cleared";
  if (row.flips) return Cell("\xE2\x87\x84 " + words + " (flips)", Tone::kBad);
  return Cell(words, verdict_tone(row.verdict));
}

Grid sensitivity_grid(const ReportDataset& dataset, std::size_t number) {
  Grid grid{.id = numbered("sensitivity", number), .caption = dataset.outcome->name, .columns = {}, .rows = {}};
  grid.columns = {
      {.name = "Change", .nowrap = true},
      {.name = "Cells", .numeric = true},
      {.name = "References", .numeric = true},
      {.name = "Mean J*", .numeric = true},
      {.name = "Max J*", .numeric = true},
      {.name = "No candidate", .numeric = true, .explanation = "Cells for which nothing was compared"},
      {.name = "Recall", .numeric = true, .explanation = "Cells whose match is as near as the truly nearest reference"},
      {.name = "Bias", .numeric = true, .explanation = "Mean of J* less the true J*"},
      {.name = "Exact", .numeric = true, .explanation = "Of the whole data set"},
      {.name = "Same cell", .numeric = true, .explanation = "Of the whole data set"},
      {.name = "Share f", .numeric = true},
      {.name = "Verdict", .nowrap = true}};
  for (const audit::SensitivityRow& row : dataset.sensitivity.rows)
    grid.rows.push_back({row.kind == "engine" ? "engine " + row.setting : row.setting, report::count_cell(row.n_cells),
                         report::count_cell(row.n_references), report::fixed_cell(row.mean_jstar, 3),
                         report::fixed_cell(row.max_jstar, 3), report::percent_cell(row.share_no_candidate, 1),
                         report::percent_cell(row.recall, 1), report::fixed_cell(row.bias, 4),
                         report::count_cell(row.n_exact), count_or_undefined(row.n_same_cell),
                         report::percent_cell(row.share, 2), verdict_cell(row)});
  return grid;
}

std::string scope_words(const audit::Sensitivity& measured) {
  std::string text = "Engines were compared on " + plural(measured.n_cells, "cell", "cells") + " against " +
                     format_count(measured.n_references) + " of " +
                     plural(measured.all_references, "reference", "references") + " (" + measured.group + ").";
  if (measured.n_references < measured.all_references)
    text +=
        " These are nested subsamples by the run's seed; with all references J* is higher, and an engine that keeps "
        "candidates only misses other cells. --sensitivity compares on all references.";
  return text;
}

std::vector<std::string> engine_notes(const audit::Sensitivity& measured) {
  std::vector<std::string> notes;
  for (const audit::SensitivityRow& row : measured.rows)
    if (!row.note.empty() && std::find(notes.begin(), notes.end(), row.note) == notes.end()) notes.push_back(row.note);
  return notes;
}

}  // namespace

void add_sensitivity(Page& page, const AuditReportInput& input) {
  page.section("Sensitivity to the engine and other choices", "sensitivity");
  page.paragraph(
      "One row a change, all else as in this run. The same_cell test is defined for the exact engine alone: sampling noise "
      "of hashes destroys the spacings that it tests. Under another engine only identical content decides, so a verdict "
      "that rests on same_cell flips there, which speaks against the engine and not against the finding. The least number "
      "of genes governs the distribution questions only.");
  std::size_t number = 0;
  for (const ReportDataset& dataset : input.datasets) {
    if (dataset.sensitivity.rows.empty()) {
      page.paragraph(
          dataset.outcome->name + ": not measured" +
          (dataset.sensitivity_reason.empty() ? std::string(".") : " (" + dataset.sensitivity_reason + ")."));
    } else {
      page.table(sensitivity_grid(dataset, number));
      if (dataset.sensitivity.n_cells > 0) page.paragraph(scope_words(dataset.sensitivity));
      page.list(engine_notes(dataset.sensitivity));
    }
    ++number;
  }
}

}  // namespace scvet::jobs::audit_page
