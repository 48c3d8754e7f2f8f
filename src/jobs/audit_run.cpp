#include "audit_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "scvet/base/log.h"
#include "scvet/base/text.h"

namespace scvet::jobs {
namespace {

using audit::CellOutcome;

// The match that a cell reports: content that is identical, counts before order before set, else the nearest entry.
struct Reported {
  int group = 0;
  std::int64_t row = -1;
};
Reported reported_match(const CellOutcome& cell) {
  for (const std::int64_t row : {cell.identical_counts, cell.identical_order, cell.identical_set})
    if (row >= 0) return {cell.identical_group, row};
  return {cell.group, cell.best.row};
}

std::int64_t corpus_row(const std::vector<UniverseGroup>& groups, int group, std::int64_t row) {
  return row < 0 || group < 0 ? -1 : groups[static_cast<std::size_t>(group)].references->place(row).corpus_row;
}

MatchOrigin origin_of(const AuditSetup& setup, const std::vector<UniverseGroup>& groups, const Reported& match) {
  if (match.row < 0 || match.group < 0) return {};
  const JoinedReferences::Place place = groups[static_cast<std::size_t>(match.group)].references->place(match.row);
  const sketch::CellOrigin origin = setup.corpora[place.corpus]->origin(place.store_row);
  return {origin.file, origin.cell, origin.donor, origin.dataset};
}

void fill_cells(const AuditSetup& setup, const BenchmarkFile& file, const std::vector<UniverseGroup>& groups,
                AuditedSet& audited) {
  AuditedCells& cells = audited.cells;
  const Table& obs = file.input->obs();
  for (std::size_t cell = 0; cell < audited.outcome.cells.size(); ++cell) {
    const CellOutcome& outcome = audited.outcome.cells[cell];
    cells.names.push_back(obs.names[static_cast<std::size_t>(file.input->file_row(audited.set.rows[cell]))]);
    cells.match.push_back(origin_of(setup, groups, reported_match(outcome)));
    cells.nearest_row.push_back(corpus_row(groups, outcome.group, outcome.best.row));
    cells.containment_row.push_back(corpus_row(groups, outcome.group, outcome.containment.row));
    cells.identical_set.push_back(corpus_row(groups, outcome.identical_group, outcome.identical_set));
    cells.identical_counts.push_back(corpus_row(groups, outcome.identical_group, outcome.identical_counts));
    cells.identical_order.push_back(corpus_row(groups, outcome.identical_group, outcome.identical_order));
  }
}

// Genes as a person reads them: the symbol where the file gives one, beside the name that was compared.
std::vector<std::string> display_genes(const BenchmarkFile& file, const PanelMatch& match) {
  std::vector<std::string> genes = match.genes;
  const GenePanel& panel = file.input->panel();
  for (std::uint32_t token = 0; token < panel.size(); ++token) {
    const std::int32_t universe = match.a.to_universe[token];
    const std::string& symbol = panel.gene(token).symbol;
    if (universe >= 0 && !symbol.empty()) genes[static_cast<std::size_t>(universe)] = symbol;
  }
  return genes;
}

void fill_evidence(const AuditSetup& setup, const BenchmarkFile& file, const std::vector<UniverseGroup>& groups,
                   const std::vector<sketch::CellSets>& benchmarks, AuditedSet& audited) {
  std::vector<std::vector<std::string>> genes;
  for (const UniverseGroup& group : groups) genes.push_back(display_genes(file, group.match));
  sketch::CellSet query, reference;
  for (const std::int64_t cell : evidence_cells(audited.outcome)) {
    const Reported match = reported_match(audited.outcome.cells[static_cast<std::size_t>(cell)]);
    if (match.row < 0) continue;
    const auto group = static_cast<std::size_t>(match.group);
    benchmarks[group].read(cell, query);
    groups[group].references->read(match.row, reference);
    CellEvidence evidence = make_evidence(cell, query, match.row, reference, genes[group]);
    evidence.origin = origin_of(setup, groups, match);
    audited.report.evidence.push_back(std::move(evidence));
  }
}

ReportUniverse universe_facts(const UniverseGroup& group, const sketch::CellSets& benchmark) {
  ReportUniverse facts;
  facts.group = group.name;
  facts.n_reference = group.references->n_cells();
  facts.n_genes = group.references->n_tokens();
  std::vector<double> sizes;
  for (std::int64_t cell = 0; cell < benchmark.n_cells(); ++cell)
    sizes.push_back(static_cast<double>(benchmark.tokens(cell).size()));
  if (sizes.empty()) return facts;
  std::sort(sizes.begin(), sizes.end());
  const auto at = [&](double share) {
    return sizes[static_cast<std::size_t>(share * static_cast<double>(sizes.size() - 1))];
  };
  facts.median_genes = at(.5);
  facts.low_genes = at(.05);
  facts.high_genes = at(.95);
  return facts;
}

void fill_coverage(const BenchmarkFile& file, const std::vector<UniverseGroup>& groups, ReportDataset& report) {
  ReportCoverage& coverage = report.coverage;
  const auto widest = std::max_element(
      groups.begin(), groups.end(),
      [](const UniverseGroup& a, const UniverseGroup& b) { return a.match.genes.size() < b.match.genes.size(); });
  coverage.identifiers = widest->match.key;
  coverage.organism = file.input->panel().organism();
  coverage.n_genes = file.input->panel().size();
  coverage.n_mapped = std::count_if(widest->match.a.to_universe.begin(), widest->match.a.to_universe.end(),
                                    [](std::int32_t token) { return token >= 0; });
  coverage.share_counts_mapped = share_on_universe(widest->match.a, file.input->gene_totals());
  if (file.losses.n_entries > 0)
    coverage.share_entries_lost =
        static_cast<double>(file.losses.n_outside) / static_cast<double>(file.losses.n_entries);
  if (file.input->n_cells() > 0)
    coverage.share_cells_cut =
        static_cast<double>(file.losses.n_cut_cells) / static_cast<double>(file.input->n_cells());
  coverage.notes = file.input->facts().notes();
  for (const UniverseGroup& group : groups) {
    if (!group.match.ambiguous.empty())
      coverage.notes.push_back(fmt::format("{} ambiguous gene names were left out of {}: {}", group.match.n_ambiguous,
                                           group.name, join_some(group.match.ambiguous)));
    if (!group.match.summed.empty())
      coverage.notes.push_back(fmt::format("{} genes bear several symbols, whose counts were summed: {}",
                                           group.match.summed.size(), join_some(group.match.summed)));
  }
}

// By default on samples that cost seconds, and for a few data sets only; --sensitivity takes everything.
constexpr std::size_t kSensitivitySets = 4;

void fill_sensitivity(const AuditSetup& setup, const std::vector<audit::ReferenceGroup>& references,
                      const audit::AuditOptions& options, std::size_t number, AuditedSet& audited) {
  const bool whole = setup.options->sensitivity;
  if (!whole && number >= kSensitivitySets) {
    audited.report.sensitivity_reason =
        fmt::format("measured for the first {} data sets of a run; --sensitivity measures all", kSensitivitySets);
    return;
  }
  audit::SensitivityOptions wanted;
  if (whole) {
    std::int64_t n_references = 0;
    for (const audit::ReferenceGroup& group : references)
      n_references = std::max(n_references, group.reference->n_cells());
    wanted.n_cells = 2000;
    wanted.n_references = n_references;
    wanted.n_seeds = 3;
    wanted.reference_sizes = {100000, 300000, 1000000, 2000000};
    const auto known = std::lower_bound(wanted.reference_sizes.begin(), wanted.reference_sizes.end(), n_references / 2);
    if (known == wanted.reference_sizes.end() || *known != n_references / 2)
      wanted.reference_sizes.insert(known, n_references / 2);
  }
  audited.report.sensitivity =
      audit::measure_sensitivity(references, audited.set.annotations, options, audited.outcome, wanted);
}

}  // namespace

ReportExpectation expectation(const AuditSetup& setup, const audit::DatasetAudit& outcome) {
  ReportExpectation row;
  row.released = setup.options->released;
  const std::string& cutoff = setup.cutoff;
  const bool known = !row.released.empty() && !cutoff.empty();
  const bool before = known && row.released <= cutoff;
  row.expected = !known ? "unknown" : before ? "before cut-off: may be in" : "after cut-off: should not be in";
  switch (outcome.verdict.kind) {
    case audit::VerdictKind::kExposed:
      row.found = fmt::format("exposed: {} cells ({} exact, {} same_cell)", outcome.exposed.hits,
                              outcome.flagged_exact.hits, outcome.flagged_same_cell.hits);
      row.disagrees = known && !before;
      if (row.disagrees)
        row.note =
            "released after the corpus' cut-off and yet found in it: one of the dates is wrong, or the cells were "
            "public earlier under another name";
      break;
    case audit::VerdictKind::kClearedBelow:
      row.found = "cleared below " + format_upper_percent(outcome.verdict.cleared_below);
      if (before) row.note = "could have been in, and was not found";
      break;
    case audit::VerdictKind::kUndecided:
      row.found = "undecided";
      break;
  }
  if (!known)
    row.note = row.released.empty() ? "pass --released YYYY-MM to set expectation against finding"
                                    : "the corpus card states no cut-off date";
  return row;
}

AuditedSet audit_set(const AuditSetup& setup, const BenchmarkFile& file, BenchmarkSet set,
                     const std::vector<UniverseGroup>& groups, std::size_t number) {
  AuditedSet audited;
  audited.set = std::move(set);
  std::vector<sketch::CellSets> benchmarks;
  for (const UniverseGroup& group : groups) benchmarks.push_back(restrict_benchmark(file, audited.set, group.match));
  std::vector<audit::ReferenceGroup> references;
  for (std::size_t group = 0; group < groups.size(); ++group)
    references.push_back({groups[group].name, &benchmarks[group], groups[group].references.get()});
  audit::AuditOptions options = setup.audit;
  const bool counts = file.input->has_counts();
  // Values as they were prove nothing but by equality; a token list is a true set of expressed genes, cut at K.
  options.no_counts = !counts && !file.input->ranked();
  for (std::size_t group = 0; group < groups.size(); ++group)
    log_info(fmt::format("auditing {}: {} cells against {} references on {} genes{}", audited.set.name,
                         format_count(static_cast<std::int64_t>(audited.set.rows.size())),
                         format_count(groups[group].references->n_cells()),
                         format_count(groups[group].references->n_tokens()),
                         groups.size() > 1 ? fmt::format(" (panel {} of {})", group + 1, groups.size()) : ""));
  audited.outcome = audit::audit_dataset(audited.set.name, references, audited.set.annotations, options);
  fill_cells(setup, file, groups, audited);

  ReportDataset& report = audited.report;
  report.path = file.path;
  report.values = counts ? "counts" : file.input->ranked() ? "ranks" : "as-is";
  for (std::size_t group = 0; group < groups.size(); ++group)
    report.universes.push_back(universe_facts(groups[group], benchmarks[group]));
  fill_coverage(file, groups, report);
  fill_evidence(setup, file, groups, benchmarks, audited);
  report.expectation = expectation(setup, audited.outcome);
  report.residuals = audit::residual_line(audited.outcome.cells, audited.set.annotations, setup.audit.min_genes_same);
  fill_sensitivity(setup, references, options, number, audited);
  return audited;
}

}  // namespace scvet::jobs
