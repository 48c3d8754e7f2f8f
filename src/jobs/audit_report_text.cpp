// What the tests mean, what was compared, and how to repeat the run.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "audit_report_parts.h"
#include "scvet/base/text.h"

namespace scvet::jobs::audit_page {

using report::Cell;
using report::Grid;
using report::Page;

namespace {

std::string found_by(const ReportNull& null, const audit::DatasetAudit& outcome) {
  for (const audit::IdentitySummary& test : outcome.identities)
    if (test.name == null.name)
      return plural(test.n_matched, "cell", "cells") + (test.proves ? "" : "; not counted as proof here");
  if (null.name == "same_cell") return plural(outcome.flagged_same_cell.hits, "cell", "cells");
  if (null.name == "uniform")
    return plural(paper_line(outcome, true).n_05, "cell", "cells") + " with p < 0.05; no finding";
  if (null.name == "frequency") return "shown as excess; no finding";
  return "";
}

void add_identity_controls(Page& page, const AuditReportInput& input) {
  Grid grid{.id = "identities", .caption = "Exact matches and their controls", .columns = {}, .rows = {}};
  grid.columns = {{.name = "Data set"},
                  {.name = "Test"},
                  {.name = "Cells matched", .numeric = true},
                  {.name = "Benchmark pairs",
                   .numeric = true,
                   .explanation = "Pairs of different benchmark cells that match in the same way"},
                  {.name = "Corpus pairs",
                   .numeric = true,
                   .explanation = "Pairs of different corpus cells that match in the same way"},
                  {.name = "Counts as proof"}};
  for (const ReportDataset& dataset : input.datasets)
    for (const audit::IdentitySummary& test : dataset.outcome->identities)
      grid.rows.push_back({dataset.outcome->name, test.name, report::count_cell(test.n_matched),
                           report::count_cell(test.benchmark_pairs),
                           test.corpus_pairs < 0 ? Cell("not counted") : report::count_cell(test.corpus_pairs),
                           test.proves ? Cell("yes") : Cell("no", report::Tone::kUnsure)});
  if (grid.rows.empty()) return;
  grid.note =
      "On small panels different cells can hold the same genes. A matching gene set counts as proof only while no "
      "two benchmark cells share a set and differ in counts or order.";
  page.table(grid);
}

}  // namespace

void add_tests(Page& page, const AuditReportInput& input) {
  page.section("What each test can and cannot prove", "tests");
  Grid grid{.id = "tests", .caption = "", .columns = {}, .rows = {}};
  grid.columns = {
      {.name = "Test"}, {.name = "Hypothesis tested"}, {.name = "A hit proves"}, {.name = "It cannot prove"}};
  for (const ReportDataset& dataset : input.datasets)
    grid.columns.push_back({.name = input.datasets.size() == 1 ? "Found" : "Found in " + dataset.outcome->name,
                            .nowrap = input.datasets.size() == 1});
  const bool many = input.datasets.size() > 4;
  if (many) grid.columns.resize(4);
  for (const ReportNull& null : input.nulls) {
    std::vector<Cell> row = {null.name, null.h0, null.proves, null.cannot};
    for (const ReportDataset& dataset : input.datasets)
      if (!many) row.emplace_back(found_by(null, *dataset.outcome));
    grid.rows.push_back(std::move(row));
  }
  page.table(grid);
  add_identity_controls(page, input);
}

void add_compared(Page& page, const AuditReportInput& input) {
  page.section("What was compared", "compared");
  Grid universes{.id = "universes", .caption = "Genes compared", .columns = {}, .rows = {}};
  universes.columns = {{.name = "Data set"},
                       {.name = "References"},
                       {.name = "Corpus cells", .numeric = true},
                       {.name = "Shared genes", .numeric = true},
                       {.name = "Genes per cell",
                        .numeric = true,
                        .explanation = "Median over the benchmark's cells, on the shared genes"},
                       {.name = "5 to 95 %", .numeric = true}};
  Grid coverage{.id = "coverage", .caption = "Gene names", .columns = {}, .rows = {}};
  coverage.columns = {
      {.name = "Data set"},
      {.name = "Identifiers"},
      {.name = "Organism"},
      {.name = "Genes", .numeric = true},
      {.name = "Matched", .numeric = true},
      {.name = "Share of counts", .numeric = true},
      {.name = "Entries lost", .numeric = true, .explanation = "Share of nonzero entries outside the vocabulary"},
      {.name = "Cells cut at K", .numeric = true}};
  std::vector<std::string> notes;
  for (const ReportDataset& dataset : input.datasets) {
    for (const std::string& note : dataset.outcome->engine_notes)
      if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
    const std::string& name = dataset.outcome->name;
    for (const ReportUniverse& universe : dataset.universes)
      universes.rows.push_back(
          {name, universe.group, report::count_cell(universe.n_reference), report::count_cell(universe.n_genes),
           report::number_cell(universe.median_genes, 4),
           report::short_number(universe.low_genes, 4) + " to " + report::short_number(universe.high_genes, 4)});
    const ReportCoverage& names = dataset.coverage;
    const auto count = [](std::int64_t n) { return n < 0 ? Cell("\xE2\x80\x93") : report::count_cell(n); };
    coverage.rows.push_back({name, names.identifiers, names.organism, count(names.n_genes), count(names.n_mapped),
                             report::percent_cell(names.share_counts_mapped),
                             report::percent_cell(names.share_entries_lost),
                             report::percent_cell(names.share_cells_cut)});
    for (const std::string& note : names.notes) notes.push_back(name + ": " + note);
  }
  if (!universes.rows.empty()) page.table(universes);
  page.table(coverage);
  page.list(notes);
  std::size_t number = 0;
  for (const ReportCorpus& corpus : input.corpora) {
    page.subsection("Corpus card: " + corpus.name);
    std::vector<std::pair<std::string, std::string>> facts = {{"File", corpus.path},
                                                              {"Cells", format_count(corpus.n_cells)}};
    facts.emplace_back("Cut-off date", stated(corpus.cutoff));
    for (const auto& [field, value] : corpus.card)
      if (field != "name" && field != "cut-off") facts.emplace_back(field, stated(value));
    page.facts(facts, numbered("card", number++));
  }
}

void add_methods(Page& page, const AuditReportInput& input) {
  page.section("Methods paragraph", "methods");
  page.paragraph("Ready to paste:");
  page.code(methods_text(input), "methods-text");
}

void add_limits(Page& page, const AuditReportInput& input) {
  page.section("Limits", "limits");
  page.list(limit_texts(input));
}

void add_repeat(Page& page, const AuditReportInput& input) {
  page.section("How to repeat this run", "repeat");
  page.paragraph("With scvet " + input.version +
                 " and the files below, this command gives the same bytes, times and machine apart (those are in "
                 "run.json):");
  page.code(input.command, "command");
  Grid files{.id = "inputs", .caption = "Inputs", .columns = {}, .rows = {}};
  files.columns = {{.name = "Role"}, {.name = "File"}, {.name = "Format"}, {.name = "SHA-256"}};
  for (const ReportInputFile& file : input.inputs)
    files.rows.push_back({file.role, file.path, file.format, file.sha256});
  page.table(files);
  const audit::AuditOptions& options = input.options;
  page.subsection("Settings");
  std::vector<std::pair<std::string, std::string>> facts = {
      {"Version", "scvet " + input.version},
      {"Seed", std::to_string(options.seed)},
      {"Engine", input.engine},
      {"Tests", list_of(options.nulls)},
      {"Fingerprint", input.fingerprint + (input.top_k > 0 ? ", K = " + format_count(input.top_k) : ", no cut")},
      {"Vocabulary", stated(input.vocabulary)},
      {"Name table", input.name_table.empty() ? "not used" : input.name_table},
      {"Nearest entries kept", std::to_string(options.top)},
      {"k, largest d", fmt::format("{}, {}", audit::neighbours_used(options), options.max_copies)},
      {"Flags", fmt::format("q <= {}, p <= {}, lift >= {}", format_number(options.q_flag),
                            format_number(options.p_suspect), format_number(options.min_lift))},
      {"Least genes", fmt::format("{} (same_cell and verdicts), {} (distribution questions)", options.min_genes_same,
                                  options.min_genes)},
      {"Power stated at", format_percent(options.thinning, 0) + " of the molecules"},
      {"Cleared at most", format_percent(options.clear_below, 1)},
      {"Part of the corpus searched", format_percent(options.sampled_share, 1)}};
  page.facts(facts, "settings");
}

}  // namespace scvet::jobs::audit_page
