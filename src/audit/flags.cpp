#include <algorithm>
#include <cmath>
#include <cstddef>

#include "cells.h"
#include "gap_test.h"
#include "scvet/numeric/multiple_testing.h"

namespace scvet::audit {
namespace {

constexpr double kCrowdedP = .05, kCrowdedLift = 10;  // above p, and J(1) this far above the ordinary level: look
constexpr double kCleanP = .1;
constexpr std::int64_t kRareLabel = 31;  // fewer cells of a label than a pool needs

void decide(CellOutcome& cell, const LiftFit& fit, const AuditOptions& options) {
  const bool low_q = cell.q_same <= options.q_flag, low_p = cell.p_same <= options.p_suspect;  // false when NaN
  const bool lifted = cell.lift >= options.min_lift;
  if (cell.reference_in_cluster) {
    cell.suspect = low_p && lifted;
    cell.same_cell = low_q && lifted;
  } else {
    cell.benchmark_duplicate = (low_p || low_q) && lifted;
  }
  if ((low_p || low_q) && !lifted && !cell.exact && cell.status == CellStatus::kOk)
    cell.status = CellStatus::kUndecidableRare;
  cell.crowded = cell.p_same > kCrowdedP && lift_of(fit, cell.size, jaccard_at(cell.pool, 0)) >= kCrowdedLift;
  if (cell.exposed(options.min_genes_same))
    cell.exposure = Exposure::kExposed;
  else if (cell.status == CellStatus::kOk && !cell.flagged() && cell.p_same > kCleanP)
    cell.exposure = Exposure::kClean;
}

}  // namespace

void decide_flags(std::vector<CellOutcome>& cells, const std::vector<GroupCells>& groups,
                  const std::vector<std::int32_t>& label, const AuditOptions& options) {
  std::vector<double> p;
  p.reserve(cells.size());
  for (const CellOutcome& cell : cells) p.push_back(cell.p_same);
  const std::vector<double> q = numeric::benjamini_hochberg(p);
  std::vector<std::int64_t> of_label;
  for (const std::int32_t code : label) {
    if (code < 0) continue;
    if (static_cast<std::size_t>(code) >= of_label.size()) of_label.resize(static_cast<std::size_t>(code) + 1, 0);
    ++of_label[static_cast<std::size_t>(code)];
  }
  for (std::size_t at = 0; at < cells.size(); ++at) {
    CellOutcome& cell = cells[at];
    cell.q_same = q[at];
    decide(cell, groups[static_cast<std::size_t>(cell.group)].fit, options);
    if (label.empty() || label[at] < 0) continue;
    cell.rare_label = (cell.suspect || cell.same_cell) && of_label[static_cast<std::size_t>(label[at])] < kRareLabel;
  }
}

}  // namespace scvet::audit
