// The methods paragraph and the limits.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "audit_report_parts.h"
#include "scvet/base/text.h"

namespace scvet::jobs::audit_page {
namespace {

constexpr double kFewGenes = 500;  // a cell; below it the power for thinned copies falls quickly

std::string fingerprint_text(const AuditReportInput& input) {
  if (input.fingerprint == "topk")
    return fmt::format("the {} genes that rank highest by normalised count divided by the gene's median ({})",
                       format_count(input.top_k), stated(input.vocabulary));
  return "all genes with a count above zero, ranked by count (ties by gene), with no cut";
}

bool tested_same_cell(const AuditReportInput& input) {
  return asked_for(input, "same_cell") && (!input.options.engine || input.options.engine->exact_jaccard);
}

std::string jstar_text(const AuditReportInput& input) {
  const sketch::EngineRecord* engine = input.options.engine;
  if (!engine || engine->exact_jaccard)
    return fmt::format("J* is the largest Jaccard similarity to any corpus cell (engine {}). ", input.engine);
  return fmt::format("J* is the similarity to the nearest corpus cell as engine {} finds and estimates it ({}){}. ",
                     input.engine, engine->summary,
                     engine->all_compared ? "" : "; where it has no candidate to compare, J* is 0");
}

std::string same_cell_text(const AuditReportInput& input) {
  const audit::AuditOptions& options = input.options;
  return fmt::format(
      "The same_cell test ranks, for each cell, the {} nearest distinct entries among corpus cells and all other benchmark "
      "cells; under an exponential upper tail the normalised spacings i(J(i) - J(i+1)) are independent and identically "
      "distributed, and the gap after the first d entries is tested for d = 1 to {} with k = {}, the smallest p times {} "
      "being p_same. The lift is the height of the match above the level that this benchmark's cells of the same size show, "
      "in robust standard deviations. Cells are flagged same cell at Benjamini-Hochberg q <= {} and suspect at p_same <= {}, "
      "both with a corpus cell before the gap and lift >= {}; cells that pass the p threshold but not the lift are "
      "undecidable. The test needs {} genes. ",
      options.top, options.max_copies, audit::neighbours_used(options), options.max_copies,
      format_number(options.q_flag), format_number(options.p_suspect), format_number(options.min_lift),
      options.min_genes_same);
}

std::string drawn_text(const AuditReportInput& input) {
  const audit::AuditOptions& options = input.options;
  std::string text;
  if (asked_for(input, "uniform"))
    text += fmt::format(
        "The null uniform compares J* with that of {} uniform random gene sets of the cell's size, searched in the same way "
        "(cells of equal size share them), p = (1 + #{{at least J*}})/({} + 1); it tests whether a cell is a random gene set, "
        "not membership, and flags nothing. ",
        format_count(options.uniform_draws), format_count(options.uniform_draws));
  if (asked_for(input, "frequency"))
    text += fmt::format(
        "excess_frequency is J* less its mean over {} random sets of the cell's size that hold each gene about as often as "
        "the corpus does (Pareto sampling); a diagnostic that flags nothing. ",
        format_count(options.frequency_draws));
  const bool both = asked_for(input, "uniform") && asked_for(input, "frequency");
  if (!text.empty()) text += fmt::format("{} {} genes. ", both ? "Both need" : "It needs", options.min_genes);
  return text;
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
      "measured{}. ",
      fingerprint_text(input), universe_text(input));
  text += jstar_text(input);
  text +=
      "Exact matches are equal counts, equal gene order or, while no two benchmark cells share a set and differ otherwise, "
      "equal gene sets. ";
  const bool same_cell = tested_same_cell(input);
  if (same_cell) text += same_cell_text(input);
  text += drawn_text(input);
  const bool panels = std::any_of(input.datasets.begin(), input.datasets.end(),
                                  [](const ReportDataset& dataset) { return dataset.universes.size() > 1; });
  if (panels)
    text +=
        "References measured on different panels were searched apart, each on its own shared genes; a cell keeps "
        "its smallest p, multiplied by the number of panels. ";
  if (options.controls && same_cell)
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
  if (asked_for(input, "uniform")) add(kUniformWarning);
  if (asked_for(input, "frequency"))
    add("excess_frequency is a diagnostic: genes vary together, so unseen cells lie above random sets of the corpus' gene "
        "frequencies as well.");
  if (asked_for(input, "same_cell") && !tested_same_cell(input))
    add("The engine " + input.engine +
        " estimates similarity, so same_cell is undefined here; only identical content can "
        "show membership in this run.");
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
          " has no counts: its sets of genes above 0 and the order of their values were compared, and same_cell was not "
          "applied.");
    if (dataset.values == "ranks")
      add(dataset.outcome->name +
          " lists genes in rank order and has no counts: sets and order were compared. A list that was cut when it was "
          "made has lost its lowest genes for good.");
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

}  // namespace scvet::jobs::audit_page
