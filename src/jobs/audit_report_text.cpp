// What the tests mean, what was compared, methods, limits, and how to repeat the run.
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
  return "";
}

std::string list_of(const std::vector<std::string>& items) {
  std::string text;
  for (std::size_t at = 0; at < items.size(); ++at)
    text += (at == 0 ? "" : at + 1 == items.size() ? " and " : ", ") + items[at];
  return text;
}

constexpr double kFewGenes = 500;  // a cell; below it the power for thinned copies falls quickly

std::string stated(const std::string& text) { return text.empty() ? "not stated" : text; }

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

std::string fingerprint_text(const AuditReportInput& input) {
  if (input.fingerprint == "topk")
    return fmt::format("the {} genes that rank highest by normalised count divided by the gene's median ({})",
                       format_count(input.top_k), stated(input.vocabulary));
  return "all genes with a count above zero, ranked by count (ties by gene), with no cut" +
         std::string(input.top_k > 0 ? " below rank " + format_count(input.top_k) : "");
}

std::string corpora_text(const AuditReportInput& input) {
  std::vector<std::string> texts;
  for (const ReportCorpus& corpus : input.corpora)
    texts.push_back(fmt::format("{} ({}; cut-off {})", corpus.name, plural(corpus.n_cells, "cell", "cells"),
                                stated(corpus.cutoff)));
  return texts.empty() ? "no corpus" : list_of(texts);
}

std::string universe_text(const AuditReportInput& input) {
  std::vector<std::string> texts;
  for (const ReportDataset& dataset : input.datasets)
    for (const ReportUniverse& universe : dataset.universes)
      texts.push_back(fmt::format("{} against {}: {} genes, a median of {} in a cell", dataset.outcome->name,
                                  universe.group, format_count(universe.n_genes),
                                  report::short_number(universe.median_genes, 4)));
  if (texts.empty()) return "";
  if (texts.size() > 6) return " (sizes: audit.json)";
  return " (" + join(texts, "; ") + ")";
}

}  // namespace

std::string methods_text(const AuditReportInput& input) {
  const audit::AuditOptions& options = input.options;
  std::int64_t n_cells = 0;
  for (const ReportDataset& dataset : input.datasets)
    n_cells += static_cast<std::int64_t>(dataset.outcome->cells.size());
  std::string text =
      fmt::format("Contamination was audited with scvet {}. {} of {} were compared with {}. ", input.version,
                  plural(n_cells, "cell", "cells"),
                  plural(static_cast<std::int64_t>(input.datasets.size()), "benchmark data set", "benchmark data sets"),
                  corpora_text(input));
  text += fmt::format(
      "Each cell was reduced to a fingerprint: {}. Fingerprints were compared on the genes that both sides "
      "measured{}. J* is the largest Jaccard similarity to any corpus cell (engine {}). ",
      fingerprint_text(input), universe_text(input), input.engine);
  text += fmt::format(
      "Exact matches are equal counts, equal gene order or, while no two benchmark cells share a set and differ "
      "otherwise, equal gene sets. The same_cell test ranks, for each cell, the {} nearest distinct entries among "
      "corpus cells and all other benchmark cells; under an exponential upper tail the normalised spacings i(J(i) "
      "- J(i+1)) are independent and identically distributed, and the gap after the first d entries is tested for "
      "d = 1 to {} with k = {}, the smallest p times {} being p_same. The lift is the height of the match above "
      "the level that this benchmark's cells of the same size show, in robust standard deviations. Cells are "
      "flagged same cell at Benjamini-Hochberg q <= {} and suspect at p_same <= {}, both with a corpus cell before "
      "the gap and lift >= {}; cells that pass the p threshold but not the lift are undecidable. The test needs {} "
      "genes. ",
      options.top, options.max_copies, audit::neighbours_used(options), options.max_copies,
      format_number(options.q_flag), format_number(options.p_suspect), format_number(options.min_lift),
      options.min_genes_same);
  const bool panels = std::any_of(input.datasets.begin(), input.datasets.end(),
                                  [](const ReportDataset& dataset) { return dataset.universes.size() > 1; });
  if (panels)
    text +=
        "References measured on different panels were searched apart, each on its own shared genes; a cell keeps "
        "its smallest p, multiplied by the number of panels. ";
  if (options.controls)
    text += fmt::format(
        "Error rates were measured on the same data: power from copies of benchmark cells planted among the "
        "references with 100, 70, 50, 30 and 20 % of their molecules, false positives from an audit of the "
        "benchmark against a held-apart part of itself. ");
  text += fmt::format(
      "A data set is exposed when a cell of at least {} genes matches exactly or the lower bound of the member "
      "share is above 0; it is cleared below x when no cell matches exactly, the upper bound x is at most {} and "
      "the power at {} of the molecules is at least 80 %; else it is undecided. Intervals are Clopper-Pearson at "
      "95 %. {}Random choices use seed {}.",
      options.min_genes_same, format_percent(options.clear_below, 1), format_percent(options.thinning, 0),
      options.sampled_share < 1
          ? fmt::format("{} of the corpus was searched. ", format_percent(options.sampled_share, 1))
          : "",
      options.seed);
  return text;
}

std::vector<std::string> limit_texts(const AuditReportInput& input) {
  const audit::AuditOptions& options = input.options;
  std::vector<std::string> limits;
  const auto add = [&](std::string text) { limits.push_back(std::move(text)); };
  add("A hit shows that the same molecules, or nearly the same, are on both sides. It does not show that a model "
      "used or remembered them.");
  add("Two libraries can hold one droplet's molecules without one cell having been copied: beads that carry "
      "several barcodes, index hopping between libraries, doublets that share a cell, technical replicates and "
      "re-sequenced libraries. Compare the names, donors and studies of both sides in the evidence before speaking "
      "of a copy.");
  add("Residual risk: a rare type whose cells are more alike than those of common types at the same size (few "
      "dominant genes: erythroid cells, platelets, plasma cells) can look like copies. Where the benchmark has "
      "fewer than 31 cells of the labelled type, the flag carries the note rare label, and only an exact match "
      "decides. Without labels this risk cannot be seen.");
  add("A cell that is not flagged was not found; it is not proven absent. How much could have been found is "
      "measured with planted copies, which differ from the original only in depth. Copies changed otherwise "
      "(another reference annotation, correction for ambient RNA, imputation) can be harder to find.");
  add(
      fmt::format("More than {} copies of one cell with different gene sets hide each other from the same_cell "
                  "test (copies with one gene set count once). Such cells bear the note crowded.",
                  options.max_copies));
  add(
      fmt::format("Cells with fewer than {} genes on the compared universe are matched exactly only; they do not "
                  "count in verdicts.",
                  options.min_genes_same));
  add("The audit knows the corpus that it was given. Whether a model was trained on just that corpus is for the "
      "model's authors to say.");
  if (options.sampled_share < 1)
    add(fmt::format(
        "Only {} of the corpus was searched; members outside that part cannot be found. The estimated share "
        "corrects for this, the list of cells does not.",
        format_percent(options.sampled_share, 1)));
  for (const ReportDataset& dataset : input.datasets) {
    if (dataset.values == "as-is")
      add(dataset.outcome->name +
          " has no counts: its gene sets and values were compared as they are, and same_cell was not "
          "applied.");
    double least = audit::kNaN;
    for (const ReportUniverse& universe : dataset.universes) least = std::fmin(least, universe.median_genes);
    if (least < kFewGenes)
      add(fmt::format(
          "{}: a median of {} genes in a cell on the compared genes. Below about 500 genes a cell the same_cell "
          "test loses power for thinned copies; the planted copies above show how much.",
          dataset.outcome->name, report::short_number(least)));
  }
  return limits;
}

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
    if (corpus.n_sets > 0) facts.emplace_back("Distinct gene sets", format_count(corpus.n_sets));
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
