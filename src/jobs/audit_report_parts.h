// The pieces of the audit's page, each a section or a helper of several. Private to jobs.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "audit_paper.h"
#include "scvet/jobs/audit_report.h"
#include "scvet/report/charts.h"
#include "scvet/report/grid.h"
#include "scvet/report/page.h"

namespace scvet::jobs::audit_page {

// What a cell shows as: the strongest of its findings.
enum class CellClass { kNotFlagged, kNotTested, kUndecidable, kSuspect, kSameCell, kExact };
constexpr std::size_t kClasses = 6;
struct ClassStyle {
  const char *name, *key, *colour, *shape;  // key: in audit.json
};
CellClass class_of(const audit::CellOutcome& cell);
const ClassStyle& style_of(CellClass cell_class);

// J* and p_same of the cells in kBins equal bins over 0 to 1, by class; J* of cells without a gene counts as 0.
struct Distribution {
  std::int64_t n_p_at_1 = 0;  // cells with p = 1, not in the bins
  std::array<std::vector<double>, kClasses> jstar, p_same;
};
Distribution distribution_of(const audit::DatasetAudit& outcome);
constexpr std::size_t kBins = 50;

// True when the run asked for the null.
void require_outcomes(const AuditReportInput& input);  // InternalError where a data set has none
bool asked_for(const AuditReportInput& input, std::string_view null);

// Flagged cells by where their match comes from, most first.
struct CorpusHits {
  std::string dataset, donor, file;  // donor empty in the table by data set
  std::int64_t n_exact = 0, n_same_cell = 0, n_suspect = 0;
  std::int64_t total() const { return n_exact + n_same_cell + n_suspect; }
};
std::vector<CorpusHits> corpus_hits(const ReportDataset& dataset, bool by_donor);

const char* verdict_key(audit::VerdictKind kind);  // exposed, cleared_below, undecided
std::string verdict_words(const audit::Verdict& verdict);
report::Tone verdict_tone(audit::VerdictKind kind);

// Unique in the page: "<prefix>-<number of the data set from 1>".
std::string numbered(const char* prefix, std::size_t dataset);
std::string plural(std::int64_t n, const char* one, const char* many);  // "1 cell", "1,200 cells"
std::string list_of(const std::vector<std::string>& items);             // "a, b and c"
std::string stated(const std::string& text);                            // "not stated" where empty
std::string flag_words(const audit::CellOutcome& cell);  // "exact, same cell"; suspect only without same cell
report::Cell share_cell(const audit::Share& share);

// Sections, in the order of the page.
void add_verdicts(report::Page& page, const AuditReportInput& input);
void add_expectations(report::Page& page, const AuditReportInput& input);
void add_false_positives(report::Page& page, const AuditReportInput& input);
void add_power(report::Page& page, const AuditReportInput& input);
void add_flagged_cells(report::Page& page, const AuditReportInput& input);
void add_distributions(report::Page& page, const AuditReportInput& input);
void add_drawn_nulls(report::Page& page, const AuditReportInput& input);
void add_shares(report::Page& page, const AuditReportInput& input);
void add_levels(report::Page& page, const AuditReportInput& input);
void add_corpus_hits(report::Page& page, const AuditReportInput& input);
void add_tests(report::Page& page, const AuditReportInput& input);
void add_sensitivity(report::Page& page, const AuditReportInput& input);
void add_compared(report::Page& page, const AuditReportInput& input);
void add_methods(report::Page& page, const AuditReportInput& input);
void add_limits(report::Page& page, const AuditReportInput& input);
void add_repeat(report::Page& page, const AuditReportInput& input);

void add_evidence(report::Page& page, const ReportDataset& dataset, const CellEvidence& evidence,
                  const std::string& id);
std::string methods_text(const AuditReportInput& input);
std::vector<std::string> limit_texts(const AuditReportInput& input);

}  // namespace scvet::jobs::audit_page
