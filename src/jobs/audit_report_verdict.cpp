// The head of the page: verdicts, expected against found, false positives, power.
#include <cmath>

#include "audit_report_parts.h"
#include "scvet/base/text.h"

namespace scvet::jobs::audit_page {

using report::Cell;
using report::Grid;
using report::Page;
using report::Tone;

namespace {

Grid::Column text_column(std::string name, std::string explanation = "") {
  return {.name = std::move(name), .numeric = false, .explanation = std::move(explanation)};
}
Grid::Column number_column(std::string name, std::string explanation = "") {
  return {.name = std::move(name), .numeric = true, .explanation = std::move(explanation)};
}

Grid verdict_grid(const AuditReportInput& input) {
  Grid grid{.id = "verdict", .caption = "The findings in numbers", .columns = {}, .rows = {}};
  grid.columns = {
      text_column("Data set"),
      text_column("Verdict"),
      number_column("Cells"),
      number_column("Exposed", "Cells that are in the corpus by content (at least 20 genes) or by the same_cell test"),
      number_column("Share"),
      number_column("95 % interval", "Clopper-Pearson"),
      number_column("Exact", "Same content as a corpus cell"),
      number_column("Same cell", "Flagged by the same_cell test"),
      number_column("Suspect", "Single p below the limit; not corrected for the number of cells"),
      number_column("Undecidable", "Looks like a copy, but so does a cell of a rare type"),
      number_column("Not found", "Tested and without any sign; not a proof of absence")};
  for (const ReportDataset& dataset : input.datasets) {
    const audit::DatasetAudit& outcome = *dataset.outcome;
    grid.rows.push_back(
        {outcome.name, Cell(verdict_words(outcome.verdict), verdict_tone(outcome.verdict.kind)),
         report::count_cell(static_cast<std::int64_t>(outcome.cells.size())), report::count_cell(outcome.exposed.hits),
         share_cell(outcome.exposed), report::interval_cell(outcome.exposed.low, outcome.exposed.high, 2),
         report::count_cell(outcome.flagged_exact.hits), report::count_cell(outcome.flagged_same_cell.hits),
         report::count_cell(outcome.flagged_suspect.hits), report::count_cell(outcome.n_undecidable_rare),
         report::count_cell(outcome.n_clean)});
  }
  grid.note = "A cell can bear several flags. Exposed = exact with at least " +
              std::to_string(input.options.min_genes_same) +
              " genes, or same cell. Not found = listed in clean_cells.txt.";
  return grid;
}

std::string false_positive_sentence(const audit::FalsePositives& control) {
  if (control.n_tested == 0)
    return "This control was not run" + (control.reason.empty() ? std::string(".") : ": " + control.reason + ".");
  const std::string how = control.split == "donors" ? "split by donors" : "split into halves";
  return "The benchmark was " + how +
         " and each part was audited against the other, where no cell has a copy unless the benchmark repeats "
         "itself: " +
         plural(control.at_001.hits, "cell", "cells") + " of " + format_count(control.at_001.n) +
         " had p at or below 0.001, and " + plural(control.n_same_cell, "cell was", "cells were") +
         " flagged same cell.";
}

void add_false_positive_pairs(Page& page, const ReportDataset& dataset, std::size_t number) {
  const audit::FalsePositives& control = dataset.outcome->false_positives;
  if (control.pairs.empty()) return;
  constexpr std::size_t kMost = 100;
  page.begin_details("Pairs flagged within the benchmark (" +
                         format_count(static_cast<std::int64_t>(control.pairs.size())) +
                         "): false flags, or true internal duplicates",
                     numbered("pairs", number));
  Grid grid{.id = numbered("pairs", number), .caption = "", .columns = {}, .rows = {}};
  grid.columns = {text_column("Cell"), text_column("Match"), text_column("Flag"),
                  number_column("J"),  number_column("p"),   number_column("Lift")};
  const auto name_of = [&](std::int64_t cell) {
    const auto at = static_cast<std::size_t>(cell);
    return cell >= 0 && at < dataset.cell_names.size() ? dataset.cell_names[at] : "row " + std::to_string(cell);
  };
  for (std::size_t at = 0; at < control.pairs.size() && at < kMost; ++at) {
    const auto& pair = control.pairs[at];
    grid.rows.push_back({name_of(pair.cell), name_of(pair.match), pair.flag, report::fixed_cell(pair.jaccard, 3),
                         report::p_cell(pair.p_same), report::number_cell(pair.lift)});
  }
  if (control.pairs.size() > kMost) grid.note = "The first 100 pairs; all are in audit.json.";
  page.table(grid);
  page.end_details();
}

void add_false_positive_types(Page& page, const audit::FalsePositives& control, std::size_t number) {
  if (control.types.empty()) return;
  page.begin_details("By cell type, with the rare-type test", numbered("fp-types-block", number));
  Grid grid{.id = numbered("fp-types", number), .caption = "", .columns = {}, .rows = {}};
  grid.columns = {
      text_column("Type"),          number_column("Cells"),
      number_column("Tested"),      number_column("Suspect"),
      number_column("Same cell"),   number_column("Rare test", "Cells tested after the type was cut to 3 + 3 cells"),
      number_column("Rare flagged")};
  for (const auto& type : control.types)
    grid.rows.push_back({type.label.empty() ? "(missing)" : type.label, report::count_cell(type.n_cells),
                         report::count_cell(type.n_tested), report::count_cell(type.n_suspect),
                         report::count_cell(type.n_same_cell),
                         type.rare_tested > 0 ? report::count_cell(type.rare_tested) : Cell("\xE2\x80\x93"),
                         type.rare_tested > 0 ? report::count_cell(type.rare_flagged) : Cell("\xE2\x80\x93")});
  grid.note =
      "Rare test: the type is cut to 3 + 3 cells, so that it is rare on both sides. Types with fewer than 40 cells "
      "are not cut.";
  page.table(grid);
  page.end_details();
}

Cell agreement_cell(const ReportExpectation& expectation) {
  if (expectation.disagrees) return Cell("\xE2\x96\xB2 disagrees", Tone::kBad);
  const bool comparable = !expectation.expected.empty() && !expectation.expected.starts_with("unknown");
  return comparable ? Cell("no disagreement") : Cell("nothing to compare");
}

// The banner's heading has said the verdict already.
std::string without_heading(const audit::Verdict& verdict) {
  std::string sentence = verdict.sentence;
  const std::string heading = verdict_words(verdict) + ": ";
  if (sentence.starts_with(heading)) sentence.erase(0, heading.size());
  if (!sentence.empty() && sentence[0] >= 'a' && sentence[0] <= 'z')
    sentence[0] = static_cast<char>(sentence[0] - 'a' + 'A');
  return sentence;
}

}  // namespace

void add_verdicts(Page& page, const AuditReportInput& input) {
  page.section("Verdict", "verdicts");
  for (const std::string& warning : input.warnings) page.note(Tone::kUnsure, warning);
  std::size_t number = 0;
  for (const ReportDataset& dataset : input.datasets) {
    const audit::Verdict& verdict = dataset.outcome->verdict;
    page.verdict(verdict_tone(verdict.kind), verdict_words(verdict) + ": " + dataset.outcome->name,
                 without_heading(verdict), verdict.reasons, numbered("verdict", number++));
    for (const std::string& warning : dataset.warnings) page.note(Tone::kUnsure, warning);
    for (const std::string& note : dataset.outcome->notes) page.paragraph("Not tested: " + note + ".");
  }
  page.table(verdict_grid(input));
}

void add_expectations(Page& page, const AuditReportInput& input) {
  page.section("Expected against found", "expected");
  Grid grid{.id = "expected", .caption = "", .columns = {}, .rows = {}};
  grid.columns = {text_column("Data set"), text_column("Released"),  text_column("Expected"),
                  text_column("Found"),    text_column("Agreement"), text_column("Remark")};
  bool any_release = false;
  for (const ReportDataset& dataset : input.datasets) {
    const ReportExpectation& expectation = dataset.expectation;
    any_release |= !expectation.released.empty();
    grid.rows.push_back({dataset.outcome->name, expectation.released.empty() ? "not stated" : expectation.released,
                         expectation.expected.empty() ? "unknown" : expectation.expected,
                         expectation.found.empty() ? verdict_words(dataset.outcome->verdict) : expectation.found,
                         agreement_cell(expectation), expectation.note});
  }
  page.table(grid);
  if (!any_release)
    page.paragraph(
        "No release date was given, so nothing could be expected. With --released YYYY-MM and a corpus card that "
        "states a cut-off date, this table sets one against the other.");
}

void add_false_positives(Page& page, const AuditReportInput& input) {
  page.section("False positives on your own data", "false-positives");
  page.paragraph(
      "Before any flag is read: how often does this run flag cells that have no copy? The benchmark is audited "
      "against a held-apart part of itself.");
  Grid grid{.id = "false-positives", .caption = "", .columns = {}, .rows = {}};
  grid.columns = {text_column("Data set"),
                  text_column("Split"),
                  number_column("Tested"),
                  number_column("p\xC2\xA0\xE2\x89\xA4\xC2\xA0"
                                "0.05",
                                "Share of cells"),
                  number_column("p\xC2\xA0\xE2\x89\xA4\xC2\xA0"
                                "0.01"),
                  number_column("p\xC2\xA0\xE2\x89\xA4\xC2\xA0"
                                "0.001"),
                  number_column("95 % interval", "Of the share at 0.001, Clopper-Pearson"),
                  number_column("Same cell"),
                  number_column("Undecidable"),
                  text_column("Calibrated")};
  for (const ReportDataset& dataset : input.datasets) {
    const audit::FalsePositives& control = dataset.outcome->false_positives;
    const bool run = control.n_tested > 0;
    grid.rows.push_back({dataset.outcome->name, control.split, report::count_cell(control.n_tested),
                         share_cell(control.at_05), share_cell(control.at_01), share_cell(control.at_001),
                         report::interval_cell(control.at_001.low, control.at_001.high, 2),
                         report::count_cell(control.n_same_cell), report::count_cell(control.n_undecidable_rare),
                         !run                 ? Cell("not run")
                         : control.calibrated ? Cell("yes", Tone::kGood)
                                              : Cell("\xE2\x96\xB2 no", Tone::kBad)});
  }
  grid.note = "Calibrated: at most 0.5 % of the cells at 0.001, and no same cell flag.";
  page.table(grid);
  std::size_t number = 0;
  for (const ReportDataset& dataset : input.datasets) {
    const audit::FalsePositives& control = dataset.outcome->false_positives;
    if (input.datasets.size() > 1) page.subsection(dataset.outcome->name);
    page.paragraph(false_positive_sentence(control));
    if (control.n_tested > 0 && !control.calibrated)
      page.note(Tone::kBad,
                "Not calibrated on your data: read the flags of this data set as leads, and look at the pairs "
                "below first; they may be true duplicates inside the benchmark.");
    add_false_positive_types(page, control, number);
    add_false_positive_pairs(page, dataset, number);
    ++number;
  }
}

void add_power(Page& page, const AuditReportInput& input) {
  page.section("What this run could have found", "power");
  page.paragraph(
      "Copies of the benchmark's own cells were planted among the references, whole and with only part of their "
      "molecules kept. The share that the same_cell test found is the power of this run, on this panel and at this "
      "depth. Exact matches need no power: a whole copy is always found by its content.");
  std::vector<report::CurvePoint> points;
  Grid grid{.id = "plants", .caption = "Planted copies", .columns = {}, .rows = {}};
  grid.columns = {text_column("Data set"),      number_column("Molecules kept"),
                  number_column("Planted"),     number_column("Found"),
                  number_column("Share found"), number_column("95 % interval", "Clopper-Pearson")};
  bool by_gene = false;
  for (const ReportDataset& dataset : input.datasets)
    for (const audit::PlantPower& plant : dataset.outcome->plants) {
      grid.rows.push_back({dataset.outcome->name, report::percent_cell(plant.kept, 0),
                           report::count_cell(plant.found.n), report::count_cell(plant.found.hits),
                           report::percent_cell(plant.found.share),
                           report::interval_cell(plant.found.low, plant.found.high)});
      by_gene |= plant.by_gene;
      if (!std::isnan(plant.found.share))
        points.push_back({dataset.outcome->name, plant.kept, plant.found.share, plant.found.low, plant.found.high});
    }
  if (grid.rows.empty()) {
    page.paragraph("No plants were made in this run.");
  } else {
    if (!points.empty())
      page.chart(report::curve_chart(
          {.id = "plants",
           .caption = "Share of planted copies that was found",
           .alt = "Share of planted copies found against the share of molecules kept, with 95 % intervals.",
           .note = "Dashed: the power of 80 % that a clearing verdict needs.",
           .x_title = "molecules kept",
           .y_title = "copies found"},
          points, .8));
    if (by_gene)
      grid.note = "Where a data set has no counts, genes instead of molecules were kept with this probability.";
    page.table(grid);
  }
  Grid share{.id = "membership",
             .caption = "Share of the benchmark's cells that are in the corpus",
             .columns = {},
             .rows = {}};
  share.columns = {text_column("Data set"),
                   number_column("Estimate"),
                   number_column("Lower"),
                   number_column("Upper"),
                   number_column("Power"),
                   number_column("at kept", "Share of molecules kept in the planted copies whose power is used"),
                   number_column("False flags", "Share used in the estimate"),
                   number_column("Searched", "Share of the corpus that was searched"),
                   number_column("Donor bootstrap", "95 % interval of the flagged share when donors are resampled")};
  std::vector<std::string> reasons;
  for (const ReportDataset& dataset : input.datasets) {
    const audit::MembershipShare& f = dataset.outcome->membership;
    if (!f.reason.empty()) reasons.push_back(dataset.outcome->name + ": " + f.reason);
    share.rows.push_back({dataset.outcome->name, report::percent_cell(f.estimate, 2), report::percent_cell(f.low, 2),
                          report::percent_cell(f.high, 2), report::percent_cell(f.power),
                          report::percent_cell(f.thinning, 0), report::percent_cell(f.fpr, 2),
                          report::percent_cell(f.sampled, 1), report::interval_cell(f.donor_low, f.donor_high, 2)});
  }
  share.note =
      "The estimate corrects the exposed share for power, false flags and the sampled part of the corpus; its "
      "upper bound counts undecidable cells as members. It is an upper estimate where the corpus repeats cells.";
  page.table(share);
  page.list(reasons);
}

}  // namespace scvet::jobs::audit_page
