// From an audited run to what its report shows.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "audit_run.h"
#include "scvet/data/genes.h"
#include "scvet/jobs/audit_report.h"
#include "scvet/jobs/run_folder.h"

namespace scvet::jobs {

// Moves the report's part out of each set; the outcomes stay, and must outlive the result.
AuditReportInput report_input(const AuditSetup& setup, const RunFolder& run, std::deque<AuditedSet>& sets,
                              const std::vector<BenchmarkFile>& files, const std::optional<NameTable>& names);

}  // namespace scvet::jobs
