// The parts of audit_dataset that follow from flagged cells.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scvet/audit/audit.h"
#include "scvet/audit/outcome.h"

namespace scvet::audit {

// Counts and shares over the data set and per label, donor and batch.
void summarise_dataset(const CellAnnotations& annotations, const AuditOptions& options, DatasetAudit& audit);

// 2.5 % and 97.5 % points of the exposed share when donors are drawn again with replacement, 1000 times.
void bootstrap_donors(const CellAnnotations& annotations, const AuditOptions& options, DatasetAudit& audit);

// Counts, share of members and verdict of a data set whose cells are flagged and whose controls are known.
// `no_controls`: why there are none, "" where there are.
void conclude_dataset(const CellAnnotations& annotations, const AuditOptions& options, const std::string& no_controls,
                      DatasetAudit& audit);

// `power_reason`: why power was not measured, "" where it was.
Verdict decide_verdict(const DatasetAudit& audit, const AuditOptions& options, const std::string& power_reason);

}  // namespace scvet::audit
