// The dictionary of an audit: as stored in the corpus, or named by flags that may not contradict it.
#pragma once

#include "scvet/jobs/audit.h"
#include "scvet/jobs/cell_input.h"
#include "scvet/sketch/fingerprint.h"

namespace scvet::jobs {

// UsageError when --fingerprint, --top-k, --vocabulary or --dictionary contradict the corpus. Fills in what the reader of
// benchmarks needs: the corpus' vocabulary, what names tokens, gene metadata.
void choose_dictionary(const AuditJobOptions& options, const sketch::FingerprintRule& rule, const std::string& corpus,
                       CellInputOptions& reading);

}  // namespace scvet::jobs
