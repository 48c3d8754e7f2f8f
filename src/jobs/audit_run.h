// The audit's own steps between reading and writing: one data set audited, and its part of the report.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "audit_data.h"
#include "audit_outputs.h"

namespace scvet::jobs {

// Everything that is known of one data set once it was audited.
struct AuditedSet {
  BenchmarkSet set;
  std::size_t file = 0;  // of the benchmarks, in the order given
  audit::DatasetAudit outcome;
  AuditedCells cells;
  ReportDataset report;  // outcome is filled in when the report is made
};

struct AuditSetup {
  const AuditJobOptions* options = nullptr;
  audit::AuditOptions audit;
  Corpora corpora;
  std::string cutoff;  // of the corpora: the latest month that all cards state; "" when one does not
};

// `number`: how many sets of the run were audited before.
AuditedSet audit_set(const AuditSetup& setup, const BenchmarkFile& file, BenchmarkSet set,
                     const std::vector<UniverseGroup>& groups, std::size_t number);

// "before cut-off", "after cut-off", "unknown" against what was found.
ReportExpectation expectation(const AuditSetup& setup, const audit::DatasetAudit& outcome);

}  // namespace scvet::jobs
