#include "scvet/audit/sensitivity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cells.h"
#include "dataset.h"
#include "scvet/base/progress.h"
#include "scvet/base/text.h"
#include "subsample.h"

namespace scvet::audit {
namespace {

using sketch::EngineRecord;
using sketch::Neighbour;

// What an engine says of each sampled cell, and how near its answer truly is.
struct Answers {
  std::vector<Neighbour> best;
  std::vector<Neighbour> truth;  // the found row compared gene by gene; row -1 where nothing was found
  std::int64_t n_no_candidate = 0;
  std::string note;
  bool seeded = false;
};

Neighbour compare(std::span<const std::uint16_t> query, const std::vector<std::uint16_t>& reference, std::int64_t row,
                  std::vector<std::uint8_t>& held) {
  for (const std::uint16_t token : query) held[token] = 1;
  std::uint32_t shared = 0;
  for (const std::uint16_t token : reference) shared += held[token];
  for (const std::uint16_t token : query) held[token] = 0;
  return {row, shared, static_cast<std::uint32_t>(query.size() + reference.size()) - shared, 1};
}

Answers ask(const EngineRecord& engine, std::uint64_t seed, const sketch::CellSets& cells,
            const sketch::SetSource& reference) {
  sketch::SearchOptions search;
  search.top = 1;
  search.containment = false;
  const auto prepared = engine.prepare(reference, seed);
  const sketch::SearchResult found = prepared->search(cells, search);
  Answers answers;
  answers.note = prepared->note();
  answers.seeded = prepared->seeded();
  std::vector<std::uint8_t> held(cells.n_tokens(), 0);
  std::vector<std::uint16_t> tokens;
  for (std::int64_t cell = 0; cell < cells.n_cells(); ++cell) {
    const auto& nearest = found.nearest[static_cast<std::size_t>(cell)];
    answers.n_no_candidate += found.no_candidate(static_cast<std::size_t>(cell));
    answers.best.push_back(nearest.empty() ? Neighbour{} : nearest.front());
    answers.truth.emplace_back();
    if (nearest.empty()) continue;
    reference.read_tokens(nearest.front().row, tokens);
    answers.truth.back() = compare(cells.tokens(cell), tokens, nearest.front().row, held);
  }
  return answers;
}

bool as_near(const Neighbour& a, const Neighbour& b) {
  return std::uint64_t{a.intersection} * b.union_size == std::uint64_t{b.intersection} * a.union_size;
}

void fill_levels(const Answers& answers, const Answers& exact, SensitivityRow& row) {
  const std::size_t n = answers.best.size();
  row.n_cells = static_cast<std::int64_t>(n);
  if (n == 0) return;
  double sum = 0, difference = 0;
  std::int64_t reached = 0, with_neighbour = 0;
  row.max_jstar = 0;
  for (std::size_t cell = 0; cell < n; ++cell) {
    const double jstar = answers.best[cell].jaccard();
    sum += jstar;
    difference += jstar - exact.truth[cell].jaccard();
    row.max_jstar = std::max(row.max_jstar, jstar);
    if (exact.truth[cell].row < 0) continue;
    ++with_neighbour;
    reached += answers.truth[cell].row >= 0 && as_near(answers.truth[cell], exact.truth[cell]);
  }
  row.mean_jstar = sum / static_cast<double>(n);
  row.bias = difference / static_cast<double>(n);
  row.share_no_candidate = static_cast<double>(answers.n_no_candidate) / static_cast<double>(n);
  if (with_neighbour > 0) row.recall = static_cast<double>(reached) / static_cast<double>(with_neighbour);
}

// The data set's flags and verdict when only exact identity can be had.
void identity_only(const DatasetAudit& audit, SensitivityRow& row) {
  row.n_exact = audit.flagged_exact.hits;
  row.verdict = row.n_exact > 0 ? VerdictKind::kExposed : VerdictKind::kUndecided;
}

void as_in_run(const DatasetAudit& audit, bool tested, SensitivityRow& row) {
  row.n_exact = audit.flagged_exact.hits;
  if (tested) row.n_same_cell = audit.flagged_same_cell.hits;
  row.share = audit.membership.estimate;
  row.verdict = audit.verdict.kind;
}

// Over the cells of at least `least` genes.
void summarise_jstar(const std::vector<CellOutcome>& cells, std::uint32_t least, SensitivityRow& row) {
  double sum = 0;
  std::int64_t missed = 0;
  for (const CellOutcome& cell : cells) {
    if (cell.size < least) continue;
    ++row.n_cells;
    sum += cell.best.jaccard();
    row.max_jstar = std::fmax(row.max_jstar, cell.best.jaccard());
    missed += cell.no_candidate;
  }
  if (row.n_cells == 0) return;
  row.mean_jstar = sum / static_cast<double>(row.n_cells);
  row.share_no_candidate = static_cast<double>(missed) / static_cast<double>(row.n_cells);
}

const EngineRecord* exact_engine() {
  for (const EngineRecord* engine : sketch::engines())
    if (engine->exact_jaccard) return engine;
  return nullptr;
}

void add_engines(const ReferenceGroup& group, const AuditOptions& options, const DatasetAudit& audit,
                 const SensitivityOptions& sensitivity, Sensitivity& result) {
  const sketch::CellSets& benchmark = *group.benchmark;
  sketch::CellSets cells(benchmark.n_tokens());
  sketch::CellSet cell;
  // Cells of the verdict's denominators, in the order of the nested subsample.
  std::vector<std::int64_t> eligible;
  for (std::int64_t row = 0; row < benchmark.n_cells(); ++row)
    if (static_cast<int>(benchmark.tokens(row).size()) >= options.min_genes_same) eligible.push_back(row);
  for (const std::int64_t at :
       nested_rows(static_cast<std::int64_t>(eligible.size()), sensitivity.n_cells, options.seed)) {
    benchmark.read(eligible[static_cast<std::size_t>(at)], cell);
    cells.add(cell);
  }
  const SubsampleSource reference(*group.reference,
                                  nested_rows(group.reference->n_cells(), sensitivity.n_references, options.seed));
  result.n_cells = cells.n_cells();
  result.n_references = reference.n_cells();
  const EngineRecord* const exact = exact_engine();
  if (!exact || cells.n_cells() == 0) return;
  ProgressScope progress("sensitivity to the engine", static_cast<std::int64_t>(sketch::engines().size()));
  const Answers truth = ask(*exact, options.seed, cells, reference);
  for (const EngineRecord* engine : sketch::engines()) {
    const bool hashes = !engine->exact_jaccard;
    bool seeded = true;
    for (int number = 0; seeded && number < sensitivity.n_seeds; ++number) {
      throw_if_stopped();
      const std::uint64_t seed = options.seed + static_cast<std::uint64_t>(number);
      SensitivityRow row;
      row.kind = number == 0 ? "engine" : "seed";
      row.setting = number == 0 ? engine->name : fmt::format("{}, seed {}", engine->name, seed);
      row.n_references = reference.n_cells();
      const Answers own = engine == exact ? truth : ask(*engine, seed, cells, reference);
      fill_levels(own, truth, row);
      row.note = own.note;
      seeded = own.seeded;
      if (hashes)
        identity_only(audit, row);
      else
        as_in_run(audit, tests_same_cell(options), row);
      result.rows.push_back(std::move(row));
    }
    progress.advance();
  }
}

void add_references(const std::vector<ReferenceGroup>& groups, std::size_t chosen, const CellAnnotations& annotations,
                    const AuditOptions& options, const DatasetAudit& audit, const SensitivityOptions& sensitivity,
                    Sensitivity& result) {
  const sketch::SetSource& all = *groups[chosen].reference;
  for (const std::int64_t size : sensitivity.reference_sizes) {
    if (size >= all.n_cells() || size < 1) continue;
    throw_if_stopped();
    const SubsampleSource reference(all, nested_rows(all.n_cells(), size, options.seed));
    AuditOptions own = options;
    own.sampled_share *= static_cast<double>(size) / static_cast<double>(all.n_cells());
    std::erase_if(own.nulls, [](const std::string& name) { return name != "same_cell"; });
    std::vector<ReferenceGroup> part = groups;
    part[chosen].reference = &reference;
    CellsAudit cells = audit_cells(part, own);
    decide_flags(cells.cells, cells.groups, annotations.label, own);
    DatasetAudit smaller;
    smaller.plants = audit.plants;  // power and false positives as the run measured them
    smaller.false_positives = audit.false_positives;
    smaller.cells = std::move(cells.cells);
    conclude_dataset(annotations, own, audit.false_positives.reason, smaller);
    SensitivityRow row;
    row.kind = "references";
    row.setting = format_count(size) + " references";
    row.n_references = size;
    summarise_jstar(smaller.cells, 0, row);
    as_in_run(smaller, tests_same_cell(own), row);
    result.rows.push_back(std::move(row));
  }
}

// Only the distribution questions have this minimum; flags and verdict do not hang on it.
void add_min_genes(const AuditOptions& options, const DatasetAudit& audit, const SensitivityOptions& sensitivity,
                   Sensitivity& result) {
  for (const int least : sensitivity.min_genes) {
    SensitivityRow row;
    row.kind = "min_genes";
    row.setting = fmt::format("at least {} genes", least);
    row.n_references = result.all_references;
    summarise_jstar(audit.cells, static_cast<std::uint32_t>(least), row);
    as_in_run(audit, tests_same_cell(options), row);
    result.rows.push_back(std::move(row));
  }
}

}  // namespace

Sensitivity measure_sensitivity(const std::vector<ReferenceGroup>& groups, const CellAnnotations& annotations,
                                const AuditOptions& options, const DatasetAudit& audit,
                                const SensitivityOptions& sensitivity) {
  const auto widest = std::max_element(groups.begin(), groups.end(), [](const auto& a, const auto& b) {
    return a.reference->n_cells() < b.reference->n_cells();
  });
  const auto chosen = static_cast<std::size_t>(widest - groups.begin());
  Sensitivity result;
  result.group = groups[chosen].name;
  result.all_references = groups[chosen].reference->n_cells();
  add_engines(groups[chosen], options, audit, sensitivity, result);
  add_references(groups, chosen, annotations, options, audit, sensitivity, result);
  add_min_genes(options, audit, sensitivity, result);
  for (SensitivityRow& row : result.rows) row.flips = row.verdict != audit.verdict.kind;
  return result;
}

}  // namespace scvet::audit
