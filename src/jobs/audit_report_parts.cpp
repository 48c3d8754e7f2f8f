#include "audit_report_parts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "scvet/base/error.h"
#include "scvet/base/text.h"

namespace scvet::jobs::audit_page {

using audit::CellOutcome;
using audit::CellStatus;
using audit::DatasetAudit;

CellClass class_of(const CellOutcome& cell) {
  if (cell.exact) return CellClass::kExact;
  if (cell.same_cell) return CellClass::kSameCell;
  if (cell.suspect) return CellClass::kSuspect;
  switch (cell.status) {
    case CellStatus::kUndecidableRare:
      return CellClass::kUndecidable;
    case CellStatus::kTooFewGenes:
    case CellStatus::kNoCounts:
    case CellStatus::kEmpty:
      return CellClass::kNotTested;
    case CellStatus::kOk:
      break;
  }
  return CellClass::kNotFlagged;
}

const ClassStyle& style_of(CellClass cell_class) {
  static const ClassStyle kStyles[kClasses] = {
      {"not flagged", "not_flagged", report::kColourPale, "circle"},
      {"not tested", "not_tested", "#c9ced4", "cross"},
      {"undecidable (rare)", "undecidable_rare", report::kColourWarm, "diamond"},
      {"suspect", "suspect", "#b0568f", "triangle-down"},
      {"same cell", "same_cell", report::kColourGood, "triangle-up"},
      {"exact", "exact", report::kColourBad, "square"},
  };
  return kStyles[static_cast<std::size_t>(cell_class)];
}

Distribution distribution_of(const DatasetAudit& outcome) {
  Distribution result;
  std::array<std::vector<double>, kClasses> jstar, p_same;
  for (const CellOutcome& cell : outcome.cells) {
    const auto at = static_cast<std::size_t>(class_of(cell));
    jstar[at].push_back(cell.best.jaccard());
    p_same[at].push_back(cell.p_same >= 1 ? audit::kNaN : cell.p_same);
    result.n_p_at_1 += cell.p_same >= 1;
  }
  for (std::size_t at = 0; at < kClasses; ++at) {
    result.jstar[at] = report::bin_values(jstar[at], 0, 1, kBins).counts;
    result.p_same[at] = report::bin_values(p_same[at], 0, 1, kBins).counts;
  }
  return result;
}

void require_outcomes(const AuditReportInput& input) {
  for (const ReportDataset& dataset : input.datasets)
    if (dataset.outcome == nullptr) throw InternalError("audit report: a data set without an outcome");
}

bool asked_for(const AuditReportInput& input, std::string_view null) { return audit::asks_for(input.options, null); }

std::vector<CorpusHits> corpus_hits(const ReportDataset& dataset, bool by_donor) {
  std::map<std::tuple<std::string, std::string, std::string>, CorpusHits> found;
  const std::vector<CellOutcome>& cells = dataset.outcome->cells;
  for (std::size_t cell = 0; cell < cells.size() && cell < dataset.origins.size(); ++cell) {
    if (!cells[cell].flagged()) continue;
    const MatchOrigin& origin = dataset.origins[cell];
    const std::string donor = by_donor ? origin.donor : "";
    CorpusHits& hits = found[{origin.dataset, donor, origin.file}];
    hits.dataset = origin.dataset;
    hits.donor = donor;
    hits.file = origin.file;
    if (cells[cell].exact)
      ++hits.n_exact;
    else if (cells[cell].same_cell)
      ++hits.n_same_cell;
    else
      ++hits.n_suspect;
  }
  std::vector<CorpusHits> sorted;
  sorted.reserve(found.size());
  for (auto& [key, hits] : found) sorted.push_back(std::move(hits));
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const CorpusHits& a, const CorpusHits& b) { return a.total() > b.total(); });
  return sorted;
}

const char* verdict_key(audit::VerdictKind kind) {
  switch (kind) {
    case audit::VerdictKind::kExposed:
      return "exposed";
    case audit::VerdictKind::kClearedBelow:
      return "cleared_below";
    case audit::VerdictKind::kUndecided:
      return "undecided";
  }
  return "undecided";
}

// With the digits that the verdict's own sentence uses: 2.5 %, 0.031 %.
std::string verdict_words(const audit::Verdict& verdict) {
  switch (verdict.kind) {
    case audit::VerdictKind::kExposed:
      return "Exposed";
    case audit::VerdictKind::kClearedBelow:
      return "Cleared below " + format_upper_percent(verdict.cleared_below);
    case audit::VerdictKind::kUndecided:
      return "Undecided";
  }
  return "Undecided";
}

report::Tone verdict_tone(audit::VerdictKind kind) {
  switch (kind) {
    case audit::VerdictKind::kExposed:
      return report::Tone::kBad;
    case audit::VerdictKind::kClearedBelow:
      return report::Tone::kGood;
    case audit::VerdictKind::kUndecided:
      return report::Tone::kUnsure;
  }
  return report::Tone::kUnsure;
}

std::string numbered(const char* prefix, std::size_t dataset) {
  return std::string(prefix) + "-" + std::to_string(dataset + 1);
}

std::string plural(std::int64_t n, const char* one, const char* many) {
  return format_count(n) + " " + (n == 1 ? one : many);
}

std::string list_of(const std::vector<std::string>& items) {
  std::string text;
  for (std::size_t at = 0; at < items.size(); ++at)
    text += (at == 0 ? "" : at + 1 == items.size() ? " and " : ", ") + items[at];
  return text;
}

std::string stated(const std::string& text) { return text.empty() ? "not stated" : text; }

std::string flag_words(const CellOutcome& cell) {
  std::vector<std::string> words;
  if (cell.exact) words.emplace_back("exact");
  if (cell.same_cell) words.emplace_back("same cell");
  if (cell.suspect && !cell.same_cell) words.emplace_back("suspect");
  if (cell.benchmark_duplicate) words.emplace_back("benchmark duplicate");
  if (cell.rare_label) words.emplace_back("rare label");
  if (cell.crowded) words.emplace_back("crowded");
  return join(words, ", ");
}

report::Cell share_cell(const audit::Share& share) { return report::percent_cell(share.share, 2); }

}  // namespace scvet::jobs::audit_page
