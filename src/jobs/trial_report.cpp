// The order of the report (specification 23). Each section is written in trial_report_<part>.cpp.
#include "scvet/jobs/trial_report.h"

#include "scvet/base/files.h"
#include "trial_report_parts.h"

namespace scvet::jobs {
namespace {

using namespace trial_page;

std::string subtitle(const TrialView& view) {
  return counted(view.data.rows_eligible, "perturbation", "perturbations") + " of " +
         counted(view.data.target_genes, "target gene", "target genes") + ", " +
         counted(static_cast<std::int64_t>(view.arms.size()), "arm", "arms") + ", lock " + view.lock_id.substr(0, 12);
}

report::Document document(const TrialView& view) {
  report::Document page("Locked trial", subtitle(view));
  add_answers(page, view);
  add_construct(page, view);
  add_boundary(page, view);
  add_criteria(page, view);
  add_seeds(page, view);
  add_arms(page, view);
  add_intervals(page, view);
  add_ranking(page, view);
  add_margins(page, view);
  add_calibration(page, view);
  add_cell_number(page, view);
  add_overlap(page, view);
  add_reported_only(page, view);
  add_sensitivity_arms(page, view);
  add_checklist(page, view);
  add_lineage(page, view);
  add_limits(page, view);
  add_methods(page, view);
  add_verify(page, view);
  page.data(summary_json(view));
  return page;
}

}  // namespace

std::string headline_of(const TrialReportResult& report, const std::string& arm) {
  for (const TrialArmSummary& summary : report.arms)
    if (summary.arm == arm) return summary.headline;
  return "";
}

std::string read_headline(const std::string& folder, const std::string& state_dir, const std::string& arm) {
  const TrialView view = read_trial_view(folder, state_dir);
  for (const ArmView& found : view.arms)
    if (found.name == arm) return headline(view, found);
  return "";
}

TrialReportResult write_trial_report(const std::string& folder, const TrialReportOptions& options) {
  const TrialView view = read_trial_view(folder, options.state_dir);
  const std::string out = options.outdir.empty() ? folder : options.outdir;
  TrialReportResult result{.html = out + "/report.html",
                           .markdown = out + "/report.md",
                           .methods = out + "/methods.md",
                           .criteria = out + "/criteria.tsv",
                           .arms = {}};
  for (const ArmView& arm : view.arms) result.arms.push_back(summary_of(view, arm));
  const report::Document page = document(view);
  write_file(result.html, page.html());
  write_file(result.markdown, page.markdown());
  write_file(result.methods, methods_text(view) + "\n");
  write_file(result.criteria, criteria_tsv(view));
  return result;
}

}  // namespace scvet::jobs
