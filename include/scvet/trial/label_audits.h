// What else the weak label could hold: labels at one number of cells, labels free of that number, pseudo-rows of control
// cells, halves of rows. A second reading of the counts; specification 21.1, 21.2 and 22. docs/trial-label.md says how
// each number is drawn.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "scvet/data/cells.h"
#include "scvet/trial/audits.h"
#include "scvet/trial/design.h"

namespace scvet::trial {

inline constexpr std::uint32_t kEqualCellsSeed = 20260606, kSplitHalfSeed = 20260607, kNullRowsSeed = 20260609;
inline constexpr int kEqualCellsReplicates = 5, kSplitHalfReplicates = 5;
inline constexpr std::int64_t kNullRows = 200;

// A pseudo-row: control cells that stand for the cells of a real row.
struct NullRow {
  std::int64_t like = 0;                         // the eligible row (of the design) whose number of cells it copies
  std::vector<std::int64_t> matched, ungrouped;  // rows of obs, ascending: with its mix of batches, and without
};
// Drawn without replacement. A batch with too few control cells gives what it has and the rest is drawn from all others;
// a pseudo-row takes at most half of the controls. Empty without eligible rows or with fewer than two controls.
std::vector<NullRow> draw_null_rows(const Design& design, std::span<const std::int64_t> eligible,
                                    std::int64_t count = kNullRows, std::uint32_t seed = kNullRowsSeed);

struct LabelAuditOptions {
  int n0 = 10;  // cells of the equal-n and n-free labels: the protocol's min_cells
  std::int64_t memory_bytes = std::int64_t{2500} << 20;
  bool rows = true;  // false: null rows only, which say nothing of a row; one pass, little memory
};

struct LabelAudits {
  // One an eligible row, in table order; empty unless rows were asked for. y is the weak label once more; d15: NaN where
  // no batch gives one.
  std::vector<double> y, d15, y_equal, y_free;
  // Labels of the two halves of each row, one vector a replicate.
  std::vector<std::vector<double>> first_half, second_half;
  // One a pseudo-row; y is NaN where it has no value.
  std::vector<double> null_matched, null_ungrouped;
  std::vector<std::int64_t> null_n_cells;
  std::string counts_digest;  // of the values that were read
};

// `eligible`: rows of the design. not_counts, duplicate_names as scan_screen.
LabelAudits scan_label_audits(CellSource& counts, const Design& design, std::span<const std::int64_t> eligible,
                              const LabelAuditOptions& options, const std::string& file);

// Mean over the replicates of Pearson's r between the halves, over rows where both have a label; NaN without such.
SplitHalf split_half(const LabelAudits& audits);

}  // namespace scvet::trial
