// What the run could have found, and what it flags wrongly, measured on the user's own cells (docs/audit.md).
#pragma once

#include <cstdint>
#include <vector>

#include "cells.h"
#include "scvet/audit/audit.h"

namespace scvet::audit {

// Shares of molecules kept, descending: 1, .7, .5, .3, .2 and the thinning at which power is stated.
std::vector<double> plant_shares(double thinning);

// Rows of the benchmark that are planted: the min(300, n/5) smallest mix(seed ^ row) among cells with enough genes
// that are neither `exact` nor `suspect`.
std::vector<std::int64_t> plant_rows(const CellsAudit& audit, const AuditOptions& options);

// Per group, per share. Each copy is one more entry of its own cell's pool.
std::vector<std::vector<PlantPower>> plant_copies(const std::vector<ReferenceGroup>& groups, const CellsAudit& audit,
                                                  const AuditOptions& options);

// The two parts of the benchmark: 0 or 1 a cell.
struct Split {
  const char* kind;  // donors or halves
  std::vector<std::uint8_t> part;
};
Split split_benchmark(std::int64_t n_cells, const CellAnnotations& annotations, std::uint64_t seed);

FalsePositives measure_false_positives(const std::vector<ReferenceGroup>& groups, const CellAnnotations& annotations,
                                       const AuditOptions& options);

// One part of the benchmark, audited against the other.
struct PartAudit {
  std::vector<std::int64_t> rows;  // of the benchmark, ascending
  CellsAudit audit;
};

// Cuts each label of at least 40 cells to three cells in each part, and counts how many of these are flagged.
void test_rare_types(const std::vector<ReferenceGroup>& groups, const CellAnnotations& annotations, const Split& split,
                     const std::vector<PartAudit>& parts, const AuditOptions& options, FalsePositives& result);

}  // namespace scvet::audit
