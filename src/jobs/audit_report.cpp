// The order of the page. Each section is written in audit_report_<part>.cpp.
#include "scvet/jobs/audit_report.h"

#include "audit_report_parts.h"
#include "scvet/base/error.h"
#include "scvet/base/text.h"

namespace scvet::jobs {
namespace {

std::string subtitle(const AuditReportInput& input) {
  std::int64_t n_cells = 0;
  for (const ReportDataset& dataset : input.datasets)
    n_cells += static_cast<std::int64_t>(dataset.outcome->cells.size());
  std::string text = audit_page::plural(n_cells, "cell", "cells") + " of " +
                     audit_page::plural(static_cast<std::int64_t>(input.datasets.size()), "benchmark data set",
                                        "benchmark data sets") +
                     " against ";
  std::vector<std::string> corpora;
  for (const ReportCorpus& corpus : input.corpora)
    corpora.push_back(corpus.name + " (" + audit_page::plural(corpus.n_cells, "cell", "cells") + ")");
  return text + (corpora.empty() ? "no corpus" : join_some(corpora, 4));
}

}  // namespace

ReportNull null_text(const audit::NullRecord& record) {
  return {record.name, record.kind, record.h0, record.proves, record.cannot, record.source};
}

std::string audit_html(const AuditReportInput& input, const std::string& json) {
  using namespace audit_page;
  require_outcomes(input);
  report::Page page(input.title, subtitle(input));
  add_verdicts(page, input);
  add_expectations(page, input);
  add_false_positives(page, input);
  add_power(page, input);
  add_flagged_cells(page, input);
  add_distributions(page, input);
  add_shares(page, input);
  add_levels(page, input);
  add_corpus_hits(page, input);
  add_tests(page, input);
  add_sensitivity(page, input);
  add_compared(page, input);
  add_methods(page, input);
  add_limits(page, input);
  add_repeat(page, input);
  page.data(json);
  return page.html();
}

}  // namespace scvet::jobs
