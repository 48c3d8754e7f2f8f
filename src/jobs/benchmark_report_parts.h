// The benchmark's tables as the report sees them, and its sections. Private to jobs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "scvet/jobs/benchmark_report.h"
#include "scvet/metrics/metric.h"
#include "scvet/report/document.h"

namespace scvet::jobs::benchmark_page {

// A mean over what is defined.
struct MeanValue {
  double value = 0;  // NaN: nothing is defined
  std::int64_t n = 0, n_undefined = 0;
  std::string why = {};  // the first reason of one that is not
};

class ScoreView {
 public:
  explicit ScoreView(const BenchmarkReport& report);

  const BenchmarkReport& report() const { return report_; }
  const std::vector<std::string>& samples() const { return samples_; }  // code-point order
  // Methods by name, the controls last: floors, then ceilings.
  const std::vector<ReportedMethod>& methods() const { return methods_; }
  // The metrics that have a row, in the tables' order; `group` as in the tables.
  std::vector<const metrics::MetricRecord*> records(const std::string& group) const;
  std::vector<const metrics::MetricRecord*> ranked_metrics() const;  // both groups of the tables
  std::vector<std::string> families() const;                         // of those, in the order of the tables

  const ScoreRow* find(const std::string& sample, const std::string& method, const std::string& metric) const;
  MeanValue over_samples(const std::string& method, const std::string& metric) const;
  MeanValue over_family(const std::string& sample, const std::string& method, const std::string& family) const;
  MeanValue family_mean(const std::string& method, const std::string& family) const;  // over samples
  bool has(const std::string& sample, const std::string& method) const;

 private:
  const BenchmarkReport& report_;
  std::vector<std::string> samples_;
  std::vector<ReportedMethod> methods_;
  std::map<std::string, std::map<std::string, std::map<std::string, const ScoreRow*>>> rows_;  // sample, method, metric
};

std::string shown_name(const ReportedMethod& method);  // controls with their role
// Letters and digits of a name; what stands between them becomes one '-'.
std::string page_id(const std::string& name);

// Sections, in the order of the page.
void add_overview(report::Document& page, const ScoreView& view);
void add_scores(report::Document& page, const ScoreView& view);
void add_families(report::Document& page, const ScoreView& view);
void add_balance(report::Document& page, const ScoreView& view);
void add_geometry(report::Document& page, const ScoreView& view);
void add_table(report::Document& page, const ScoreView& view);
void add_undefined(report::Document& page, const ScoreView& view);
void add_metrics(report::Document& page, const ScoreView& view);
void add_provenance(report::Document& page, const ScoreView& view);
void add_downloads(report::Document& page, const ScoreView& view);

}  // namespace scvet::jobs::benchmark_page
