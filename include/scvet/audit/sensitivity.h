// How the findings of an audit hang on what was chosen: the engine, the seed, the references, the least genes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scvet/audit/audit.h"
#include "scvet/audit/outcome.h"

namespace scvet::audit {

struct SensitivityOptions {
  // Engines are compared on a sample: cells with the smallest mix(seed ^ row), references likewise (nested subsample).
  std::int64_t n_cells = 500, n_references = 10000;
  int n_seeds = 1;                            // of engines that hash: seed, seed + 1, ...
  std::vector<std::int64_t> reference_sizes;  // nested subsamples that the whole benchmark is audited against again
  std::vector<int> min_genes{100, 200, 500};
};

// One change, all else as in the run.
struct SensitivityRow {
  std::string kind, setting;  // "engine", "lsh"; "seed"; "references"; "min_genes"
  std::int64_t n_cells = 0, n_references = 0;
  double mean_jstar = kNaN, max_jstar = kNaN, share_no_candidate = kNaN;
  double recall = kNaN;  // cells whose nearest reference is as near as the truly nearest
  double bias = kNaN;    // mean of J* less the true J*
  // Of the whole data set under this change. same_cell -1: not defined (another engine than exact).
  std::int64_t n_exact = 0, n_same_cell = -1;
  double share = kNaN;  // f, where it could be estimated
  VerdictKind verdict = VerdictKind::kUndecided;
  bool flips = false;     // another verdict than the run's
  std::string note = {};  // of the engine, on how it made the references ready
};

struct Sensitivity {
  std::string group;                                               // the references (of several panels the largest)
  std::int64_t n_cells = 0, n_references = 0, all_references = 0;  // behind the rows of engines
  std::vector<SensitivityRow> rows;                                // empty: not measured
};

// `audit` is the run's own result for these groups.
Sensitivity measure_sensitivity(const std::vector<ReferenceGroup>& groups, const CellAnnotations& annotations,
                                const AuditOptions& options, const DatasetAudit& audit,
                                const SensitivityOptions& sensitivity);

}  // namespace scvet::audit
