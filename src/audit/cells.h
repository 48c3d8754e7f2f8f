// The audit of cells alone, without controls and verdict: also what the controls run on parts of the benchmark.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scvet/audit/audit.h"
#include "scvet/audit/outcome.h"

namespace scvet::audit {

// What one reference group says of every cell, before groups are combined.
struct GroupCells {
  LiftFit fit;
  std::vector<std::uint32_t> size;
  std::vector<double> p, background;         // NaN: not tested
  std::vector<std::vector<PoolEntry>> pool;  // empty when there is one group: the pools are in the outcomes
  std::vector<std::int64_t> pool_entries;
};

struct CellsAudit {
  std::vector<CellOutcome> cells;
  std::vector<GroupCells> groups;
  std::vector<IdentitySummary> identities;
  std::vector<std::string> notes, engine_notes;

  const std::vector<PoolEntry>& pool(std::size_t group, std::size_t cell) const {
    return groups[group].pool.empty() ? cells[cell].pool : groups[group].pool[cell];
  }
};

// True when same_cell was asked for and the engine and the values allow it; otherwise `reason` says why not.
bool tests_same_cell(const AuditOptions& options, std::string* reason = nullptr);

// Throws UsageError on options that contradict each other, InternalError on groups of different cells.
void check_options(const std::vector<ReferenceGroup>& groups, const CellAnnotations& annotations,
                   const AuditOptions& options);

CellsAudit audit_cells(const std::vector<ReferenceGroup>& groups, const AuditOptions& options);

// q values, flags, status and notes, from the combined p values. `label` may be empty.
void decide_flags(std::vector<CellOutcome>& cells, const std::vector<GroupCells>& groups,
                  const std::vector<std::int32_t>& label, const AuditOptions& options);

}  // namespace scvet::audit
