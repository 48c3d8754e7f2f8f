// A constructed audit: two data sets, one with copies and one without, large enough to fill every part of the page.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "scvet/base/random.h"
#include "scvet/jobs/audit_report.h"

namespace scvet::jobs {

struct AuditSample {
  std::vector<std::unique_ptr<audit::DatasetAudit>> outcomes;
  AuditReportInput input;
};

namespace sample {

inline audit::Share share_of(std::int64_t hits, std::int64_t n) {
  audit::Share share{.hits = hits, .n = n};
  if (n == 0) return share;
  share.share = static_cast<double>(hits) / static_cast<double>(n);
  const double width =
      2 * std::sqrt((share.share * (1 - share.share) + 1.0 / static_cast<double>(n)) / static_cast<double>(n));
  share.low = std::max(0.0, share.share - width);
  share.high = std::min(1.0, share.share + width);
  return share;
}

inline audit::CellOutcome cell_of(std::int64_t row, Stream& stream, std::int64_t n_exact, std::int64_t n_copies) {
  audit::CellOutcome cell;
  cell.size = static_cast<std::uint32_t>(300 + 2200 * stream.unit() * stream.unit());
  const bool exact = row < n_exact, copy = row < n_exact + n_copies;
  const double jaccard = exact ? 1 : copy ? .55 + .2 * stream.unit() : .2 + .2 * stream.unit();
  cell.best = {.row = 1000 + row,
               .intersection = static_cast<std::uint32_t>(jaccard * cell.size),
               .union_size = cell.size,
               .multiplicity = 1};
  cell.second = {.row = 3000 + row, .intersection = cell.size / 3, .union_size = cell.size, .multiplicity = 1};
  cell.containment = {.row = 1000 + row, .intersection = cell.best.intersection};
  cell.rho = exact ? 1 : copy ? .8 : .4;
  cell.p_d.fill(.4);
  cell.d = 1;
  cell.p_same = exact ? 2e-18 : copy ? 3e-6 * stream.unit() : std::min(1.0, 8 * stream.unit());
  cell.q_same = std::min(1.0, cell.p_same * 4);
  cell.lift = exact ? 31 : copy ? 12 : stream.unit() * 2;
  cell.z_background = .3;
  cell.p_d[0] = cell.p_same / 8;
  cell.reference_in_cluster = true;
  for (std::uint32_t entry = 0; entry < 40; ++entry) {
    audit::PoolEntry pool{.match = cell.second, .reference = entry == 0 || entry % 3 != 0};
    pool.match.intersection = entry == 0 ? cell.best.intersection : cell.size * (340 - entry) / 1000;
    cell.pool.push_back(pool);
  }
  if (exact) cell.identical_set = cell.identical_counts = cell.identical_order = 1000 + row;
  cell.exact = exact;
  cell.same_cell = copy;
  cell.suspect = copy;
  cell.exposure = copy               ? audit::Exposure::kExposed
                  : cell.p_same > .1 ? audit::Exposure::kClean
                                     : audit::Exposure::kUnknown;
  if (row % 97 == 96) cell.status = audit::CellStatus::kUndecidableRare;
  if (row % 151 == 150) cell.status = audit::CellStatus::kTooFewGenes;
  return cell;
}

inline std::unique_ptr<audit::DatasetAudit> outcome_of(const std::string& name, std::int64_t n_cells,
                                                       std::int64_t n_exact, std::int64_t n_copies) {
  auto outcome = std::make_unique<audit::DatasetAudit>();
  outcome->name = name;
  Stream stream(7);
  for (std::int64_t row = 0; row < n_cells; ++row) outcome->cells.push_back(cell_of(row, stream, n_exact, n_copies));
  for (const audit::CellOutcome& cell : outcome->cells) {
    outcome->n_undecidable_rare += cell.status == audit::CellStatus::kUndecidableRare;
    outcome->n_too_few += cell.status == audit::CellStatus::kTooFewGenes;
    outcome->n_clean += cell.exposure == audit::Exposure::kClean;
  }
  outcome->exposed = share_of(n_exact + n_copies, n_cells);
  outcome->flagged_exact = share_of(n_exact, n_cells);
  outcome->flagged_same_cell = outcome->flagged_suspect = share_of(n_exact + n_copies, n_cells);
  outcome->identities = {
      {.name = "identical_set", .n_matched = n_exact, .benchmark_pairs = 3, .corpus_pairs = 0, .proves = false},
      {.name = "identical_counts", .n_matched = n_exact},
      {.name = "identical_order", .n_matched = n_exact}};
  for (const double kept : {1.0, .7, .5, .3, .2})
    outcome->plants.push_back(
        {.kept = kept, .found = share_of(static_cast<std::int64_t>(300 * std::min(1.0, kept * 1.8)), 300)});
  outcome->fits = {outcome->fit};
  audit::FalsePositives& control = outcome->false_positives;
  control.split = "donors";
  control.n_cells = control.n_tested = n_cells;
  control.at_05 = share_of(n_cells / 80, n_cells);
  control.at_01 = share_of(n_cells / 600, n_cells);
  control.at_001 = share_of(0, n_cells);
  control.types = {{.label = "B cell", .n_cells = 400, .n_tested = 400, .rare_tested = 6, .rare_flagged = 0},
                   {.label = "platelet", .n_cells = 22, .n_tested = 22, .n_suspect = 1}};
  control.pairs = {{.cell = 4, .match = 9, .p_same = 2e-4, .lift = 3.2, .jaccard = .61, .flag = "suspect"}};
  outcome->membership = {.estimate = outcome->exposed.share,
                         .low = outcome->exposed.low,
                         .high = outcome->exposed.high,
                         .power = .98,
                         .thinning = .5,
                         .fpr = 0,
                         .sampled = 1,
                         .donor_low = .01,
                         .donor_high = .2,
                         .reason = ""};
  for (const char* const level : {"B cell", "CD14 monocyte", "NK cell", "platelet"})
    outcome->by_label.push_back({.level = level,
                                 .n_cells = n_cells / 4,
                                 .n_exact = n_exact / 4,
                                 .n_same_cell = n_copies / 4,
                                 .n_clean = n_cells / 2,
                                 .mean_jstar = .33,
                                 .exposed = share_of((n_exact + n_copies) / 4, n_cells / 4)});
  for (const char* const level : {"donor_1", "donor_2"})
    outcome->by_donor.push_back({.level = level,
                                 .n_cells = n_cells / 2,
                                 .n_exact = n_exact / 2,
                                 .n_same_cell = n_copies / 2,
                                 .mean_jstar = .31,
                                 .exposed = share_of((n_exact + n_copies) / 2, n_cells / 2)});
  return outcome;
}

inline CellEvidence evidence_for(std::int64_t cell, const MatchOrigin& origin, bool exact) {
  std::vector<std::string> genes;
  genes.reserve(200);
  for (int gene = 0; gene < 200; ++gene) genes.push_back("GENE" + std::to_string(gene));
  sketch::CellSet query, reference;
  for (std::uint16_t token = 0; token < 120; ++token) {
    query.tokens.push_back(token);
    query.counts.push_back(130u - token);
    if (exact || token % 5 != 4) {
      reference.tokens.push_back(token);
      reference.counts.push_back(exact ? 130u - token : (130u - token) / 2);
    }
  }
  if (!exact) {
    reference.tokens.push_back(150);
    reference.counts.push_back(1);
  }
  CellEvidence evidence = make_evidence(cell, query, 1000 + cell, reference, genes);
  evidence.origin = origin;
  return evidence;
}

inline ReportDataset dataset_of(const audit::DatasetAudit& outcome) {
  ReportDataset dataset;
  dataset.outcome = &outcome;
  dataset.path = outcome.name + ".h5ad";
  dataset.label_key = "cell_type";
  dataset.donor_key = "donor_id";
  dataset.annotations.label_levels = {"B cell", "CD14 monocyte", "NK cell", "platelet"};
  dataset.values = "counts";
  const auto n_cells = static_cast<std::int64_t>(outcome.cells.size());
  for (std::int64_t row = 0; row < n_cells; ++row) {
    const bool flagged = outcome.cells[static_cast<std::size_t>(row)].flagged();
    dataset.cell_names.push_back("AAACATACAACC-" + std::to_string(row));
    dataset.annotations.label.push_back(static_cast<std::int32_t>(row % 4));
    const std::string study = row % 3 ? "study_a" : "study_b";
    dataset.origins.push_back(
        flagged ? MatchOrigin{study + ".h5ad", "ref_" + std::to_string(row), "donor_x" + std::to_string(row % 2), study}
                : MatchOrigin{});
  }
  dataset.universes = {{.group = "panel 1",
                        .n_reference = 4800,
                        .n_genes = 2874,
                        .median_genes = 812,
                        .low_genes = 401,
                        .high_genes = 1930}};
  dataset.coverage = {.identifiers = "symbol",
                      .organism = "human",
                      .n_genes = 3000,
                      .n_mapped = 2874,
                      .share_counts_mapped = .987,
                      .share_entries_lost = .021,
                      .share_cells_cut = 0,
                      .notes = {"2 pairs of genes with one name were summed"}};
  for (const std::int64_t cell : evidence_cells(outcome))
    dataset.evidence.push_back(evidence_for(cell, dataset.origins[static_cast<std::size_t>(cell)],
                                            outcome.cells[static_cast<std::size_t>(cell)].exact));
  return dataset;
}

}  // namespace sample

inline AuditSample audit_sample() {
  AuditSample made;
  made.outcomes.push_back(sample::outcome_of("pbmc_with_copies", 2000, 49, 80));
  made.outcomes.push_back(sample::outcome_of("lung_without", 1500, 0, 0));
  made.outcomes[0]->verdict = {
      .kind = audit::VerdictKind::kExposed,
      .cleared_below = audit::kNaN,
      .sentence = "49 cells match a corpus cell exactly; between 1.8 and 2.6 % of the cells are in the corpus.",
      .reasons = {"49 exact matches of cells with at least 20 genes", "80 more cells by the same_cell test"}};
  made.outcomes[1]->verdict = {
      .kind = audit::VerdictKind::kClearedBelow,
      .cleared_below = .0021,
      .sentence = "No cell was found; a copy thinned to 50 % would have been found with probability 0.90.",
      .reasons = {}};
  AuditReportInput& input = made.input;
  input.command =
      "scvet audit --benchmark pbmc_with_copies.h5ad lung_without.h5ad --corpus demo.corpus --released 2024-01";
  input.version = "0.1.0";
  input.fingerprint = "positive";
  input.vocabulary = "universe (no dictionary)";
  input.engine = "exact";
  input.nulls = {
      {"same_cell", "null", "No corpus cell is the same cell.", "Nearly the same molecules are on both sides.",
       "That a model used them.", "gap test"},
      {"identical_counts", "identity", "No corpus cell has these very counts.", "The same counts are on both sides.",
       "Which side came first.", "content hash"},
      {"identical_set", "identity", "No corpus cell has this very gene set.",
       "The same genes, where no two benchmark cells share a set.", "Identity on small panels.", "content hash"}};
  input.inputs = {{"benchmark", "pbmc_with_copies.h5ad", std::string(64, 'a'), "h5ad"},
                  {"corpus", "demo.corpus", std::string(64, 'b'), "corpus"}};
  input.corpora = {{.name = "demo",
                    .path = "demo.corpus",
                    .n_cells = 4800,
                    .cutoff = "2023-06",
                    .card = {{"sources", "study_a, study_b"}, {"exclusions", ""}}}};
  for (const auto& outcome : made.outcomes) {
    input.datasets.push_back(sample::dataset_of(*outcome));
    ReportDataset& dataset = input.datasets.back();
    dataset.residuals = audit::residual_line(outcome->cells, dataset.annotations, input.options.min_genes_same);
  }
  const auto exposed = audit::VerdictKind::kExposed, undecided = audit::VerdictKind::kUndecided;
  input.datasets[0].sensitivity = {.group = "panel 1",
                                   .n_cells = 500,
                                   .n_references = 4000,
                                   .all_references = 4800,
                                   .rows = {{.kind = "engine",
                                             .setting = "exact",
                                             .n_cells = 500,
                                             .n_references = 4000,
                                             .mean_jstar = .31,
                                             .max_jstar = 1,
                                             .share_no_candidate = 0,
                                             .recall = 1,
                                             .bias = 0,
                                             .n_exact = 49,
                                             .n_same_cell = 129,
                                             .share = .06,
                                             .verdict = exposed},
                                            {.kind = "engine",
                                             .setting = "lsh",
                                             .n_cells = 500,
                                             .n_references = 4000,
                                             .mean_jstar = .19,
                                             .max_jstar = 1,
                                             .share_no_candidate = .47,
                                             .recall = .2,
                                             .bias = -.12,
                                             .n_exact = 49,
                                             .verdict = undecided,
                                             .flips = true}}};
  input.datasets[1].sensitivity_reason = "measured for the first data set only";
  input.datasets[0].expectation = {.released = "2024-01",
                                   .expected = "after cut-off: not in the corpus",
                                   .found = "49 exact matches",
                                   .disagrees = true,
                                   .note = "the corpus card says 2023-06"};
  input.datasets[1].expectation = {
      .released = "2024-01", .expected = "after cut-off: not in the corpus", .found = "nothing", .note = ""};
  return made;
}

}  // namespace scvet::jobs
