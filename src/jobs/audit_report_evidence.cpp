// Flagged cells: which, and why; two cells beside one another.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "audit_report_parts.h"
#include "scvet/base/text.h"

namespace scvet::jobs {
namespace audit_page {

using report::Cell;
using report::Grid;
using report::Page;

namespace {

std::string or_dash(const std::string& text) { return text.empty() ? "\xE2\x80\x93" : text; }
std::string rank_text(std::int64_t rank) { return rank > 0 ? std::to_string(rank) : "\xE2\x80\x93"; }
std::string count_text(std::int64_t count) { return count >= 0 ? format_count(count) : "\xE2\x80\x93"; }

std::string cell_name(const ReportDataset& dataset, std::int64_t cell) {
  const auto at = static_cast<std::size_t>(cell);
  return at < dataset.cell_names.size() ? dataset.cell_names[at] : "row " + std::to_string(cell);
}

std::string annotation(const std::vector<std::string>& levels, const std::vector<std::int32_t>& codes,
                       std::int64_t cell) {
  const auto at = static_cast<std::size_t>(cell);
  if (at >= codes.size() || codes[at] < 0) return "";
  return levels[static_cast<std::size_t>(codes[at])];
}

std::string annotations_of(const ReportDataset& dataset, std::int64_t cell) {
  const audit::CellAnnotations& known = dataset.annotations;
  const std::string label = annotation(known.label_levels, known.label, cell);
  const std::string donor = annotation(known.donor_levels, known.donor, cell);
  const std::string batch = annotation(known.batch_levels, known.batch, cell);
  if (label.empty() && donor.empty() && batch.empty()) return "not stated";
  return or_dash(label) + " \xC2\xB7 " + or_dash(donor) + " \xC2\xB7 " + or_dash(batch);
}

std::string identity_words(const audit::CellOutcome& cell) {
  std::vector<std::string> same;
  if (cell.identical_set >= 0) same.emplace_back("gene set");
  if (cell.identical_order >= 0) same.emplace_back("gene order");
  if (cell.identical_counts >= 0) same.emplace_back("counts");
  return same.empty() ? "nothing identical" : "same " + join(same, ", ");
}

// The ordered list of J as a strip: references filled, other benchmark cells hollow, the gap after d* marked.
std::string pool_drawing(const audit::CellOutcome& cell) {
  constexpr double kLeft = 34, kStep = 11, kTop = 8, kHeight = 84;
  const auto x_of = [](std::size_t at) { return kLeft + kStep * (static_cast<double>(at) + .7); };
  const auto y_of = [](double jaccard) { return kTop + kHeight * (1 - jaccard); };
  const double right = x_of(std::max<std::size_t>(cell.pool.size(), 10)) + 4;
  std::string svg = fmt::format(
      "<svg viewBox=\"0 0 {:.0f} 116\" width=\"{:.0f}\" height=\"116\" style=\"max-width:100%\">", right, right);
  svg += fmt::format("<path d=\"M{} {}V{}H{:.1f}\" fill=\"none\" stroke=\"#8a949f\"/>", kLeft, kTop, kTop + kHeight,
                     right - 2);
  for (const double tick : {0.0, .5, 1.0})
    svg += fmt::format("<text x=\"{}\" y=\"{:.1f}\" font-size=\"10\" text-anchor=\"end\" fill=\"#56616e\">{}</text>",
                       kLeft - 5, y_of(tick) + 3.5, format_number(tick));
  if (cell.d > 0 && static_cast<std::size_t>(cell.d) < cell.pool.size()) {
    const double x = x_of(static_cast<std::size_t>(cell.d)) - kStep / 2;
    svg += fmt::format("<path d=\"M{:.1f} {}V{}\" stroke=\"{}\" stroke-dasharray=\"3 3\"/>", x, kTop - 4,
                       kTop + kHeight, report::kColourBad);
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{}\" font-size=\"10\" fill=\"#56616e\">gap after d* = {}</text>", x + 4,
                       kTop + 2, cell.d);
  }
  for (std::size_t at = 0; at < cell.pool.size(); ++at)
    svg +=
        fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" {}/>", x_of(at), y_of(cell.pool[at].match.jaccard()),
                    cell.pool[at].reference ? "fill=\"#0072b2\"" : "fill=\"#fff\" stroke=\"#56616e\"");
  svg += fmt::format(
      "<text x=\"{}\" y=\"112\" font-size=\"10\" fill=\"#56616e\">entries by J: filled = corpus, hollow = other "
      "benchmark cells</text>",
      kLeft);
  return svg + "</svg>";
}

Grid rank_grid(const CellEvidence& evidence, const std::string& id) {
  Grid grid{.id = id, .caption = "Rank lists", .columns = {}, .rows = {}};
  grid.columns = {{.name = "Rank", .numeric = true}, {.name = "Benchmark cell"}, {.name = "Corpus cell"}};
  for (std::size_t rank = 0; rank < std::max(evidence.top_query.size(), evidence.top_reference.size()); ++rank) {
    const std::string query = rank < evidence.top_query.size() ? evidence.top_query[rank] : "";
    const std::string reference = rank < evidence.top_reference.size() ? evidence.top_reference[rank] : "";
    grid.rows.push_back({report::count_cell(static_cast<std::int64_t>(rank) + 1), query,
                         reference == query ? Cell(reference) : Cell(reference, report::Tone::kUnsure)});
  }
  return grid;
}

Grid shared_grid(const CellEvidence& evidence, const std::string& id) {
  Grid grid{.id = id, .caption = "Shared genes", .columns = {}, .rows = {}};
  grid.columns = {
      {.name = "Gene"}, {.name = "Ranks", .numeric = true}, {.name = "Counts", .numeric = true}, {.name = "Equal"}};
  for (const EvidenceGene& gene : evidence.genes) {
    const bool counted = gene.count_query >= 0 && gene.count_reference >= 0;
    const bool equal = counted && gene.count_query == gene.count_reference;
    grid.rows.push_back({gene.gene, rank_text(gene.rank_query) + " / " + rank_text(gene.rank_reference),
                         count_text(gene.count_query) + " / " + count_text(gene.count_reference),
                         !counted ? Cell("\xE2\x80\x93")
                         : equal  ? Cell("=")
                                  : Cell("\xE2\x89\xA0", report::Tone::kUnsure)});
  }
  if (evidence.n_shared > static_cast<std::int64_t>(evidence.genes.size()))
    grid.note = "The first " + std::to_string(evidence.genes.size()) + " of " + format_count(evidence.n_shared) +
                " by benchmark rank.";
  return grid;
}

Grid differing_grid(const CellEvidence& evidence, const std::string& id) {
  Grid grid{.id = id, .caption = "Genes of one side only", .columns = {}, .rows = {}};
  grid.columns = {
      {.name = "Gene"}, {.name = "Side"}, {.name = "Rank", .numeric = true}, {.name = "Count", .numeric = true}};
  for (const EvidenceGene& gene : evidence.differing) {
    const bool here = gene.rank_query > 0;
    grid.rows.push_back({gene.gene, here ? "benchmark" : "corpus",
                         rank_text(here ? gene.rank_query : gene.rank_reference),
                         count_text(here ? gene.count_query : gene.count_reference)});
  }
  const std::int64_t all = evidence.n_query + evidence.n_reference - 2 * evidence.n_shared;
  if (all > static_cast<std::int64_t>(evidence.differing.size()))
    grid.note = "The first " + std::to_string(evidence.differing.size()) + " of " + format_count(all) + ".";
  return grid;
}

// The first entries of the pool; a bar stands where the test saw the gap.
std::string ordered_text(const audit::CellOutcome& cell) {
  constexpr std::size_t kShown = 12;
  std::string text;
  for (std::size_t at = 0; at < cell.pool.size() && at < kShown; ++at) {
    if (at > 0) text += static_cast<int>(at) == cell.d ? " | " : ", ";
    text += report::fixed_cell(cell.pool[at].match.jaccard(), 3).text + (cell.pool[at].reference ? "" : "*");
  }
  if (text.empty()) return "not kept";
  return text + (cell.pool.size() > kShown ? ", ..." : "") + "; | the gap, * another benchmark cell";
}

std::string p_list(const audit::CellOutcome& cell) {
  std::vector<std::string> texts;
  for (std::size_t d = 0; d < cell.p_d.size(); ++d)
    if (!std::isnan(cell.p_d[d]))
      texts.push_back("p" + std::to_string(d + 1) + " = " + report::p_cell(cell.p_d[d]).text);
  return texts.empty() ? "not tested" : join(texts, "; ");
}

}  // namespace

void add_evidence(Page& page, const ReportDataset& dataset, const CellEvidence& evidence, const std::string& id) {
  const audit::CellOutcome& cell = dataset.outcome->cells[static_cast<std::size_t>(evidence.cell)];
  const MatchOrigin& origin = evidence.origin;
  const std::int64_t n_union = evidence.n_query + evidence.n_reference - evidence.n_shared;
  const double jaccard = n_union > 0 ? static_cast<double>(evidence.n_shared) / static_cast<double>(n_union) : 0;
  page.begin_details(cell_name(dataset, evidence.cell) + " \xE2\x80\x94 " + flag_words(cell) + " \xE2\x80\x94 J " +
                         report::fixed_cell(jaccard, 3).text + " with " +
                         (origin.cell.empty() ? "corpus row " + std::to_string(evidence.reference_row) : origin.cell),
                     id);
  page.facts(
      {{"Benchmark cell", cell_name(dataset, evidence.cell) + " (row " + std::to_string(evidence.cell) + ")"},
       {"Type, donor, batch", annotations_of(dataset, evidence.cell)},
       {"Corpus cell", or_dash(origin.cell) + " (row " + std::to_string(evidence.reference_row) + ")"},
       {"Its file, data set, donor",
        or_dash(origin.file) + " \xC2\xB7 " + or_dash(origin.dataset) + " \xC2\xB7 " + or_dash(origin.donor)},
       {"Identity", identity_words(cell)},
       {"Genes", fmt::format("{} and {}; shared {}, in the union {}; J = {}", format_count(evidence.n_query),
                             format_count(evidence.n_reference), format_count(evidence.n_shared), format_count(n_union),
                             report::fixed_cell(jaccard, 4).text)},
       {"Counts", evidence.n_counted == 0
                      ? "not stored on both sides"
                      : fmt::format("equal in {} of {} shared genes", format_count(evidence.n_equal_counts),
                                    format_count(evidence.n_counted))},
       {"same_cell", fmt::format("p = {}, q = {}, d* = {}, lift = {}, background z = {}",
                                 report::p_cell(cell.p_same).text, report::p_cell(cell.q_same).text, cell.d,
                                 report::short_number(cell.lift), report::short_number(cell.z_background))},
       {"p by number of copies", p_list(cell)},
       {"Ordered J", ordered_text(cell)},
       {"Nearest, second",
        fmt::format("J* = {} (held {} in the corpus), then {}; Spearman's rho of ranks {}",
                    report::fixed_cell(cell.best.jaccard(), 4).text, plural(cell.best.multiplicity, "time", "times"),
                    report::fixed_cell(cell.second.jaccard(), 4).text, report::fixed_cell(cell.rho, 3).text)}});
  if (!cell.pool.empty())
    page.drawing(pool_drawing(cell),
                 "Jaccard similarity of the nearest entries in descending order; the gap is after entry " +
                     std::to_string(cell.d) + ".");
  page.begin_columns();
  page.table(rank_grid(evidence, id + "-ranks"));
  page.table(shared_grid(evidence, id + "-shared"));
  if (!evidence.differing.empty()) page.table(differing_grid(evidence, id + "-differing"));
  page.end_columns();
  page.end_details();
}

namespace {

Grid flagged_grid(const ReportDataset& dataset, const std::vector<std::int64_t>& cells, std::size_t number) {
  Grid grid{.id = numbered("flagged", number), .caption = "", .columns = {}, .rows = {}};
  grid.columns = {{.name = "Cell", .nowrap = true},
                  {.name = "Type"},
                  {.name = "Flags", .nowrap = true},
                  {.name = "Genes", .numeric = true},
                  {.name = "J*", .numeric = true},
                  {.name = "p", .numeric = true},
                  {.name = "q", .numeric = true},
                  {.name = "Lift", .numeric = true},
                  {.name = "d*", .numeric = true},
                  {.name = "Corpus cell", .nowrap = true},
                  {.name = "Its donor"},
                  {.name = "Its data set or file"}};
  for (const std::int64_t cell : cells) {
    const auto at = static_cast<std::size_t>(cell);
    const audit::CellOutcome& outcome = dataset.outcome->cells[at];
    const MatchOrigin origin = at < dataset.origins.size() ? dataset.origins[at] : MatchOrigin{};
    grid.rows.push_back(
        {cell_name(dataset, cell), annotation(dataset.annotations.label_levels, dataset.annotations.label, cell),
         flag_words(outcome), report::count_cell(outcome.size), report::fixed_cell(outcome.best.jaccard(), 3),
         report::p_cell(outcome.p_same), report::p_cell(outcome.q_same), report::number_cell(outcome.lift),
         outcome.d > 0 ? report::count_cell(outcome.d) : Cell("\xE2\x80\x93"), origin.cell, origin.donor,
         origin.dataset.empty() ? origin.file : origin.dataset});
  }
  return grid;
}

}  // namespace

void add_flagged_cells(Page& page, const AuditReportInput& input) {
  page.section("Flagged cells and their evidence", "flagged");
  page.paragraph(
      "For each flagged cell: the two cells beside one another. A copy shows the same genes in the same order with "
      "the same counts; a thinned copy shows fewer genes, in nearly the same order, with lower counts.");
  const std::size_t n_datasets = std::max<std::size_t>(1, input.datasets.size());
  const std::size_t shown_each = std::max<std::size_t>(10, kEvidenceCells / n_datasets);
  std::size_t number = 0;
  for (const ReportDataset& dataset : input.datasets) {
    if (n_datasets > 1) page.subsection(dataset.outcome->name);
    const std::int64_t n_flagged = std::count_if(dataset.outcome->cells.begin(), dataset.outcome->cells.end(),
                                                 [](const audit::CellOutcome& cell) { return cell.flagged(); });
    if (n_flagged == 0) {
      page.paragraph("No cell is flagged.");
      ++number;
      continue;
    }
    const audit::FalsePositives& control = dataset.outcome->false_positives;
    if (control.n_tested > 0 && !control.calibrated)
      page.note(report::Tone::kBad, "Not calibrated on your data: see the section on false positives.");
    const std::vector<std::int64_t> cells = evidence_cells(*dataset.outcome, shown_each);
    const auto n_shown = static_cast<std::int64_t>(cells.size());
    page.paragraph(plural(n_flagged, "cell is", "cells are") + " flagged" +
                   (n_shown < n_flagged
                        ? "; " + format_count(n_shown) + " are listed here (exact matches first), the other " +
                              format_count(n_flagged - n_shown) + " are in cells.csv."
                        : "."));
    page.begin_details("List of " + plural(n_shown, "flagged cell", "flagged cells"), numbered("flagged-list", number),
                       true);
    page.table(flagged_grid(dataset, cells, number));
    page.end_details();
    const std::size_t n_evidence = std::min(dataset.evidence.size(), shown_each);
    if (n_evidence > 0) {
      page.begin_details(
          "Evidence for " + plural(static_cast<std::int64_t>(n_evidence), "cell", "cells") + ", one block each",
          numbered("evidence", number));
      for (std::size_t at = 0; at < n_evidence; ++at)
        add_evidence(page, dataset, dataset.evidence[at], numbered("cell", number) + "-" + std::to_string(at + 1));
      page.end_details();
    }
    ++number;
  }
}

}  // namespace audit_page
}  // namespace scvet::jobs
