// The published recipe (--paper) and its summary line.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "scvet/audit/outcome.h"
#include "scvet/jobs/audit.h"

namespace scvet::jobs {

// The options with engine and null of the recipe where --paper was given: candidates of 16 bands of 8 hashes, uniform
// draws. UsageError when the user named another engine or null.
AuditJobOptions with_paper(AuditJobOptions options);

// What must be said wherever the null `uniform` is used.
extern const char* const kUniformWarning;

// The summary line of the published method: strict thresholds, undefined p left out. The p are those of the null uniform
// where it was asked for, else of same_cell.
struct PaperLine {
  std::string null;
  std::int64_t n = 0, n_p = 0, n_05 = 0, n_01 = 0, n_no_candidate = 0;
  double mean_jstar = audit::kNaN, max_jstar = audit::kNaN, share_05 = audit::kNaN, share_01 = audit::kNaN,
         share_no_candidate = audit::kNaN;  // of the cells with a gene
};
PaperLine paper_line(const audit::DatasetAudit& outcome, bool uniform);
// "n 2,700, mean J* 0.494, max J* 0.656, p < 0.05 80.4 %, p < 0.01 2.85 %, ... (engine lsh, null uniform)"
std::string paper_sentence(const PaperLine& line, const std::string& engine);

// Table 4 of the paper, for the eye: nothing is computed from it or tuned towards it.
struct PublishedRow {
  const char* dataset;
  std::int64_t n;
  double mean_jstar, max_jstar, share_05, share_01;
  const char* status;
};
std::span<const PublishedRow> published_rows();

}  // namespace scvet::jobs
