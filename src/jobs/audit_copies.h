// Copies of the benchmark files with the audit in obs.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "audit_run.h"
#include "scvet/jobs/run_folder.h"

namespace scvet::jobs {

// One annotated h5ad a benchmark file, and with --write-clean one of the clean cells; their names join `outputs`.
void write_copies(const AuditJobOptions& options, const RunFolder& run, const std::vector<BenchmarkFile>& files,
                  const std::deque<AuditedSet>& sets, std::vector<std::string>& outputs);

}  // namespace scvet::jobs
