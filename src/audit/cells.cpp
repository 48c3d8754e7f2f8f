#include "cells.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "gap_test.h"
#include "identity.h"
#include "scvet/audit/null.h"
#include "scvet/base/error.h"
#include "scvet/base/parallel.h"
#include "scvet/base/registry.h"
#include "scvet/numeric/ranks.h"

namespace scvet::audit {
namespace {

using sketch::CellSet;

constexpr std::int64_t kTile = 256;

template <typename Body>
void for_cells(std::int64_t n, const Body& body) {
  parallel_for((n + kTile - 1) / kTile, [&](std::int64_t tile, int) {
    for (std::int64_t cell = tile * kTile; cell < std::min(n, (tile + 1) * kTile); ++cell) body(cell);
  });
}

// Spearman's rho of the ranks over the shared genes, ranks counted among those; fewer than 3 shared: 0.
class RankAgreement {
 public:
  double operator()(std::span<const std::uint16_t> query, const CellSet& reference, std::uint32_t n_tokens) {
    place_.resize(std::max<std::size_t>(place_.size(), n_tokens), 0);
    rank_.assign(reference.tokens.size(), 0);
    shared_.clear();
    for (std::size_t at = 0; at < reference.tokens.size(); ++at)
      place_[reference.tokens[at]] = static_cast<std::uint32_t>(at) + 1;
    for (const std::uint16_t token : query) {
      if (place_[token] == 0) continue;
      shared_.push_back(place_[token] - 1);  // reference places in query order
      rank_[shared_.back()] = 1;
    }
    for (const std::uint16_t token : reference.tokens) place_[token] = 0;
    if (shared_.size() < 3) return 0;
    std::uint32_t before = 0;  // shared genes at earlier reference places
    for (std::uint32_t& rank : rank_) {
      const std::uint32_t here = rank;
      rank = before;
      before += here;
    }
    for (std::uint32_t& at : shared_) at = rank_[at];
    return numeric::spearman(shared_);
  }

 private:
  std::vector<std::uint32_t> place_, rank_, shared_;
};

// Below it a cell has too few genes for every null that was asked for.
int least_genes(const AuditOptions& options) {
  const bool distribution_only = !options.nulls.empty() && !asks_for(options, "same_cell");
  return distribution_only ? options.min_genes : options.min_genes_same;
}

void fill_nearest(const ReferenceGroup& group, int index, const sketch::SearchResult& found,
                  const AuditOptions& options, std::vector<CellOutcome>& cells) {
  for_cells(group.benchmark->n_cells(), [&](std::int64_t cell) {
    const auto at = static_cast<std::size_t>(cell);
    CellOutcome& outcome = cells[at];
    outcome.group = index;
    outcome.size = static_cast<std::uint32_t>(group.benchmark->tokens(cell).size());
    outcome.p_d.fill(kNaN);
    const auto& nearest = found.nearest[at];
    if (!nearest.empty()) outcome.best = nearest[0];
    if (nearest.size() > 1) outcome.second = nearest[1];
    outcome.containment = found.containment[at];
    outcome.no_candidate = outcome.size > 0 && found.no_candidate(at);
    if (outcome.size == 0)
      outcome.status = CellStatus::kEmpty;
    else if (options.no_counts)
      outcome.status = CellStatus::kNoCounts;
    else if (outcome.size < static_cast<std::uint32_t>(least_genes(options)))
      outcome.status = CellStatus::kTooFewGenes;
    if (outcome.best.row < 0) return;
    thread_local CellSet match;
    thread_local RankAgreement rank_agreement;
    group.reference->read(outcome.best.row, match);
    outcome.rho = rank_agreement(group.benchmark->tokens(cell), match, group.benchmark->n_tokens());
  });
}

std::vector<IdentitySummary> summarise(const IdentityScan& scan) {
  std::vector<IdentitySummary> all(3);
  const auto fill = [](IdentitySummary& one, const char* name, std::int64_t benchmark, std::int64_t reference) {
    one.name = name;
    one.benchmark_pairs = benchmark;
    one.corpus_pairs = reference;
  };
  fill(all[0], "identical_set", scan.benchmark.set, scan.reference.set);
  fill(all[1], "identical_counts", scan.benchmark.counts, scan.reference.counts);
  fill(all[2], "identical_order", scan.benchmark.order, scan.reference.order);
  all[0].proves = !scan.benchmark.set_hides_difference;
  return all;
}

struct GroupAudit {
  std::vector<CellOutcome> cells;
  GroupCells group;
  std::vector<IdentitySummary> identities;
  std::string engine_note;
};

GroupAudit audit_group(const ReferenceGroup& group, int index, const AuditOptions& options) {
  GroupAudit audit;
  audit.cells.resize(static_cast<std::size_t>(group.benchmark->n_cells()));
  sketch::SearchOptions search;
  search.top = options.top;
  const auto reference = options.engine->prepare(*group.reference, options.seed);
  audit.engine_note = reference->note();
  const sketch::SearchResult references = reference->search(*group.benchmark, search);
  fill_nearest(group, index, references, options, audit.cells);
  sketch::SearchResult others;
  const bool test = tests_same_cell(options);
  if (test) {
    search.containment = false;
    search.queries_are_reference = true;
    others = sketch::search_once(*options.engine, *group.benchmark, *group.benchmark, search, options.seed);
  }
  const IdentityScan scan = scan_identities(*group.benchmark, *group.reference);
  audit.identities = summarise(scan);
  const NullContext context{group, options, references, test ? &others : nullptr, &scan.matches, reference.get()};
  for (const NullRecord* null : nulls()) {
    if (asks_for(options, null->name) || std::string_view(null->kind) == "identity")
      null->apply(context, audit.cells, audit.group.fit);
  }
  for (std::size_t cell = 0; cell < audit.cells.size(); ++cell) {
    CellOutcome& outcome = audit.cells[cell];
    outcome.exact = outcome.identical_counts >= 0 || outcome.identical_order >= 0 ||
                    (outcome.identical_set >= 0 && audit.identities[0].proves);
    if (outcome.identical_set >= 0) {
      outcome.identical_group = index;
      outcome.identical_size = outcome.size;
    }
    audit.group.size.push_back(outcome.size);
    audit.group.p.push_back(outcome.p_same);
    const bool tested = outcome.d > 0;
    audit.group.background.push_back(tested ? jaccard_at(outcome.pool, static_cast<std::size_t>(outcome.d)) : kNaN);
    audit.group.pool_entries.push_back(
        test ? pool_entries(references.n_distinct, others.n_distinct, others.nearest[cell]) : 0);
  }
  return audit;
}

// True where `a` is the better answer for one cell: smaller p, then more genes than the minimum, then higher J*.
bool better(const CellOutcome& a, const CellOutcome& b, const AuditOptions& options) {
  const double p = std::isnan(a.p_same) ? 2 : a.p_same, q = std::isnan(b.p_same) ? 2 : b.p_same;
  if (p != q) return p < q;
  const auto least = static_cast<std::uint32_t>(options.min_genes_same);
  if ((a.size >= least) != (b.size >= least)) return a.size >= least;
  const std::uint64_t left = std::uint64_t{a.best.intersection} * b.best.union_size;
  const std::uint64_t right = std::uint64_t{b.best.intersection} * a.best.union_size;
  return left > right;
}

void keep_identity(const CellOutcome& from, CellOutcome& to) {
  to.identical_set = from.identical_set;
  to.identical_counts = from.identical_counts;
  to.identical_order = from.identical_order;
  to.identical_group = from.identical_group;
  to.identical_size = from.identical_size;
  to.exact = from.exact;
}

// Of two identity answers: one that is exact, then any, then the first.
bool better_identity(const CellOutcome& a, const CellOutcome& b) {
  if (a.exact != b.exact) return a.exact;
  return a.identical_group >= 0 && b.identical_group < 0;
}

void combine(const std::vector<GroupAudit>& groups, const AuditOptions& options, std::vector<CellOutcome>& cells) {
  cells.resize(groups[0].cells.size());
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    std::size_t kept = 0, identical = 0;
    for (std::size_t group = 1; group < groups.size(); ++group) {
      if (better(groups[group].cells[cell], groups[kept].cells[cell], options)) kept = group;
      if (better_identity(groups[group].cells[cell], groups[identical].cells[cell])) identical = group;
    }
    cells[cell] = groups[kept].cells[cell];
    keep_identity(groups[identical].cells[cell], cells[cell]);
    double& p = cells[cell].p_same;
    if (!std::isnan(p)) p = std::min(1.0, p * static_cast<double>(groups.size()));
  }
}

void add_identities(const std::vector<IdentitySummary>& from, std::vector<IdentitySummary>& to) {
  if (to.empty()) {
    to = from;
    return;
  }
  for (std::size_t kind = 0; kind < from.size(); ++kind) {
    to[kind].benchmark_pairs = std::max(to[kind].benchmark_pairs, from[kind].benchmark_pairs);
    to[kind].corpus_pairs += from[kind].corpus_pairs;
    to[kind].proves = to[kind].proves && from[kind].proves;
  }
}

void count_matches(const std::vector<GroupAudit>& groups, std::vector<IdentitySummary>& identities) {
  static constexpr std::int64_t CellOutcome::*kRows[3] = {&CellOutcome::identical_set, &CellOutcome::identical_counts,
                                                          &CellOutcome::identical_order};
  for (std::size_t kind = 0; kind < identities.size(); ++kind)
    for (std::size_t cell = 0; cell < groups[0].cells.size(); ++cell)
      identities[kind].n_matched += std::any_of(
          groups.begin(), groups.end(), [&](const GroupAudit& group) { return group.cells[cell].*kRows[kind] >= 0; });
}

}  // namespace

int neighbours_used(const AuditOptions& options) {
  if (options.neighbours > 0) return options.neighbours;
  return options.max_copies <= 3 ? 20 : 30;
}

bool asks_for(const AuditOptions& options, std::string_view null) {
  return std::find(options.nulls.begin(), options.nulls.end(), null) != options.nulls.end();
}

bool tests_same_cell(const AuditOptions& options, std::string* reason) {
  const auto say = [&](const std::string& text) {
    if (reason) *reason = text;
    return false;
  };
  if (!asks_for(options, "same_cell")) return say("same_cell was not asked for");
  if (options.no_counts) return say("the benchmark's values are not counts, so same_cell is undefined");
  if (!options.engine->exact_jaccard)
    return say("same_cell needs the engine 'exact': the sampling noise of '" + std::string(options.engine->name) +
               "' destroys the spacings between neighbours");
  return true;
}

void check_options(const std::vector<ReferenceGroup>& groups, const CellAnnotations& annotations,
                   const AuditOptions& options) {
  if (!options.engine) throw InternalError("audit without an engine");
  if (groups.empty()) throw InternalError("audit without a reference group");
  if (options.max_copies < 1 || options.max_copies > kMaxCopies)
    throw UsageError("--max-copies must be 1 to " + std::to_string(kMaxCopies) + ", found " +
                     std::to_string(options.max_copies));
  const int k = neighbours_used(options);
  if (k <= options.max_copies || options.top <= k)
    throw UsageError("the audit needs more neighbours than copies and keeps more entries than neighbours: found " +
                     std::to_string(options.max_copies) + " copies, " + std::to_string(k) + " neighbours, " +
                     std::to_string(options.top) + " entries");
  if (!(options.sampled_share > 0 && options.sampled_share <= 1))
    throw UsageError("the searched share of the corpus must be above 0 and at most 1");
  if (!(options.thinning > 0 && options.thinning <= 1)) throw UsageError("the thinning must be above 0 and at most 1");
  if (options.uniform_draws < 1 || options.frequency_draws < 1) throw UsageError("a null that draws needs a draw");
  if (options.min_genes_same < 1) throw UsageError("same_cell needs cells of at least one gene");
  for (const std::string& name : options.nulls) find_variant(nulls(), name, "null");
  const std::int64_t n = groups[0].benchmark->n_cells();
  for (const ReferenceGroup& group : groups)
    if (group.benchmark->n_cells() != n || group.reference->n_tokens() != group.benchmark->n_tokens())
      throw InternalError("reference group '" + group.name + "': not the same cells or not the same universe");
  for (const auto* codes : {&annotations.label, &annotations.donor, &annotations.batch})
    if (!codes->empty() && static_cast<std::int64_t>(codes->size()) != n)
      throw InternalError("annotations of another number of cells");
}

CellsAudit audit_cells(const std::vector<ReferenceGroup>& groups, const AuditOptions& options) {
  CellsAudit audit;
  std::vector<GroupAudit> each;
  for (std::size_t group = 0; group < groups.size(); ++group) {
    each.push_back(audit_group(groups[group], static_cast<int>(group), options));
    add_identities(each.back().identities, audit.identities);
    const std::string& note = each.back().engine_note;
    if (!note.empty() &&
        std::find(audit.engine_notes.begin(), audit.engine_notes.end(), note) == audit.engine_notes.end())
      audit.engine_notes.push_back(note);
  }
  count_matches(each, audit.identities);
  if (groups.size() == 1) {
    audit.cells = std::move(each[0].cells);
  } else {
    combine(each, options, audit.cells);
    for (GroupAudit& group : each)
      for (CellOutcome& cell : group.cells) group.group.pool.push_back(std::move(cell.pool));
  }
  for (GroupAudit& group : each) audit.groups.push_back(std::move(group.group));
  std::string reason;
  if (!tests_same_cell(options, &reason)) audit.notes.push_back(reason);
  return audit;
}

}  // namespace scvet::audit
