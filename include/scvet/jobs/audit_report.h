// What `scvet audit` shows: one self-contained HTML page, and the same numbers as audit.json.
// The job fills AuditReportInput; nothing here reads files or computes a statistic that audit has not computed.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "scvet/audit/audit.h"
#include "scvet/audit/null.h"
#include "scvet/audit/outcome.h"
#include "scvet/audit/residuals.h"
#include "scvet/audit/sensitivity.h"
#include "scvet/sketch/cell_sets.h"

namespace scvet::jobs {

struct ReportInputFile {
  std::string role;  // "benchmark", "corpus", "dictionary"
  std::string path, sha256;
  std::string format;  // h5ad, tenx_h5, corpus, ...; may be empty
};

// What the corpus says of itself: (field, value) in the order to show; empty values are shown as "not stated".
struct ReportCorpus {
  std::string name, path;
  std::int64_t n_cells = 0;
  std::string cutoff;  // YYYY-MM or ""
  std::vector<std::pair<std::string, std::string>> card;
};

// One panel of references as seen from one data set: the genes that both sides measured, and the benchmark's cells on
// it.
struct ReportUniverse {
  std::string group;                          // ReferenceGroup::name
  std::int64_t n_reference = 0, n_genes = 0;  // reference cells, genes of the universe
  double median_genes = audit::kNaN, low_genes = audit::kNaN, high_genes = audit::kNaN;  // per cell: median, 5 %, 95 %
};

// How the genes of one data set met those of the corpus. NaN or negative: not known or not applicable.
struct ReportCoverage {
  std::string identifiers, organism;         // "ensembl", "symbol"; "human"
  std::int64_t n_genes = -1, n_mapped = -1;  // genes of the file; of them in the vocabulary
  double share_counts_mapped = audit::kNaN;  // of all counts
  double share_entries_lost = audit::kNaN;   // nonzero entries lost to the vocabulary
  double share_cells_cut = audit::kNaN;      // cells cut at K
  std::vector<std::string> notes;            // summed duplicates, total differing from n_counts, ...
};

// Where a matched reference cell comes from; empty where the corpus does not say.
struct MatchOrigin {
  std::string file, cell, donor, dataset;
};

// One gene of an evidence list. Ranks from 1 (highest), 0: the side does not hold the gene; counts -1: none stored.
struct EvidenceGene {
  std::string gene;
  std::int64_t rank_query = 0, rank_reference = 0;
  std::int64_t count_query = -1, count_reference = -1;
};

// One flagged cell beside its match.
struct CellEvidence {
  std::int64_t cell = -1;           // row in the data set
  std::int64_t reference_row = -1;  // in its group
  MatchOrigin origin;
  std::int64_t n_query = 0, n_reference = 0, n_shared = 0;
  std::int64_t n_counted = 0, n_equal_counts = 0;     // shared genes with counts on both sides; of them equal
  std::vector<std::string> top_query, top_reference;  // rank order, at most kEvidenceGenes
  std::vector<EvidenceGene> genes;                    // shared genes by query rank, at most kEvidenceGenes
  std::vector<EvidenceGene> differing;                // genes of one side only, highest first, at most kEvidenceGenes
};
constexpr std::size_t kEvidenceGenes = 30;
constexpr std::size_t kEvidenceCells = 200;  // shown in the page, per data set; the rest are in cells.csv

// Compares two cells of one universe; `genes[token]` names the tokens. Leaves origin empty.
CellEvidence make_evidence(std::int64_t cell, const sketch::CellSet& query, std::int64_t reference_row,
                           const sketch::CellSet& reference, std::span<const std::string> genes);

// The cells of a data set that deserve evidence: exact first, then same_cell, suspect; then by row; at most `most`.
std::vector<std::int64_t> evidence_cells(const audit::DatasetAudit& outcome, std::size_t most = kEvidenceCells);

// Release date and known exclusions against what was found, one row a data set.
struct ReportExpectation {
  std::string released;  // YYYY-MM or "" when not stated
  std::string expected;  // "before cut-off: may be in", "after cut-off", "unknown"
  std::string found;     // in words: "49 exact matches", "nothing"
  bool disagrees = false;
  std::string note;
};

struct ReportDataset {
  const audit::DatasetAudit* outcome = nullptr;  // required
  std::string path;
  std::vector<std::string> cell_names;          // one a cell
  audit::CellAnnotations annotations;           // empty vectors: not known
  std::string label_key, donor_key, batch_key;  // the obs columns used; "" where none
  std::vector<MatchOrigin> origins;             // one a cell: of the reported match; empty origin: none
  std::vector<ReportUniverse> universes;
  ReportCoverage coverage;
  ReportExpectation expectation;
  std::vector<CellEvidence> evidence;
  audit::ResidualLine residuals;
  audit::Sensitivity sensitivity;  // no rows: not measured, `sensitivity_reason` says why
  std::string sensitivity_reason;
  std::string values;                 // "counts", "ranks" (token lists) or "as-is"
  std::vector<std::string> warnings;  // shown under the verdict
};

// One hypothesis as the report words it; made from NullRecord by null_text().
struct ReportNull {
  std::string name, kind, h0, proves, cannot, source;
};
ReportNull null_text(const audit::NullRecord& record);

struct AuditReportInput {
  std::string title = "Contamination audit";
  std::string command;  // as to be typed again: "scvet audit --benchmark ..."
  std::string version;
  std::string fingerprint;  // "positive" or "topk"
  std::int64_t top_k = 0;   // 0: no cut
  std::string vocabulary;   // "universe (no dictionary)", "geneformer-v1", ...
  std::string engine;       // exact, ...
  std::string name_table;   // path and source of the symbol table, "" when not used
  bool paper = false;       // the published recipe: its reported values stand beside these
  audit::AuditOptions options;
  std::vector<ReportNull> nulls;
  std::vector<ReportInputFile> inputs;
  std::vector<ReportCorpus> corpora;
  std::vector<ReportDataset> datasets;
  std::vector<std::string> warnings;  // of the whole run
};

// The page. Same input, same bytes.
std::string audit_html(const AuditReportInput& input, const std::string& json);
// audit.json: everything that the page shows as a number, under stable keys (docs/report.md). The page carries the
// same object in its <script id="scvet-data">.
std::string audit_json(const AuditReportInput& input);

}  // namespace scvet::jobs
