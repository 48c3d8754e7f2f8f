// The fingerprint audit of one data set against one or more groups of references.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "scvet/audit/outcome.h"
#include "scvet/sketch/cell_sets.h"
#include "scvet/sketch/search.h"

namespace scvet::audit {

struct AuditOptions {
  std::uint64_t seed = 42;
  std::vector<std::string> nulls{"same_cell"};
  const sketch::EngineRecord* engine = nullptr;
  int top = 40;                 // entries kept per query
  int neighbours = 0;           // k; 0: 30, or 20 when max_copies <= 3 (more power on small panels)
  int max_copies = kMaxCopies;  // largest d, at most kMaxCopies: a cell held more often is not found
  int min_genes = 200;          // distribution questions
  int uniform_draws = 1000, frequency_draws = 200;  // a set size
  int min_genes_same = 20;                          // same_cell, and what counts in verdicts
  double q_flag = .05, p_suspect = .001, min_lift = 3;
  double thinning = .5;  // share of molecules kept at which power is stated
  double clear_below = .05;
  double sampled_share = 1;  // pi
  bool controls = true;      // plants and false positives
  bool no_counts = false;    // the benchmark's values are not counts: status no_counts, no same_cell
};
int neighbours_used(const AuditOptions& options);
bool asks_for(const AuditOptions& options, std::string_view null);  // is among options.nulls

// References that share one panel. Both sides are restricted to, and numbered in, the group's own universe, so the same
// benchmark cells come once per group.
struct ReferenceGroup {
  std::string name;
  const sketch::CellSets* benchmark = nullptr;  // all cells of the data set, in file order
  const sketch::SetSource* reference = nullptr;
};

// What is known of the cells besides their genes. Codes index the level names; -1 missing; empty vectors: not known.
struct CellAnnotations {
  std::vector<std::string> label_levels, donor_levels, batch_levels;
  std::vector<std::int32_t> label, donor, batch;
};

// Several groups: each is tested on its own; a cell keeps the group with the smallest p_same (ties: higher J*, then the
// first group), p_same is multiplied by the number of groups (Bonferroni, at most 1), and an exact match in any group
// counts. q_same is computed over the combined p_same.
DatasetAudit audit_dataset(const std::string& name, const std::vector<ReferenceGroup>& groups,
                           const CellAnnotations& annotations, const AuditOptions& options);

}  // namespace scvet::audit
