#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <set>

#include "benchmark_report_parts.h"
#include "scvet/base/version.h"

namespace scvet::jobs {

ReportedMethod reported_method(const std::string& name) {
  static const ReportedMethod kControls[] = {
      {"random", "Random", MethodRole::kFloor, "floor: knows nothing of the cells", false, {}},
      {"oracle", "Oracle", MethodRole::kCeiling, "ceiling of cell types: made of the labels", true, {}},
      {"pca_shuffle_batch",
       "PCA, cells shuffled in batches",
       MethodRole::kFloor,
       "floor of cell types: labels destroyed, batches kept",
       false,
       {}},
      {"pca_shuffle_type",
       "PCA, cells shuffled in types",
       MethodRole::kCeiling,
       "ceiling of batch mixing: batches mixed inside each label",
       true,
       {}}};
  ReportedMethod method{name, name, MethodRole::kMethod, {}, false, {}};
  for (const ReportedMethod& control : kControls)
    if (control.name == name) method = control;
  method.made_by = std::string("scvet ") + version();
  return method;
}

namespace benchmark_page {
namespace {

void add_value(MeanValue& mean, double value, const std::string& why) {
  if (std::isfinite(value)) {
    mean.value += value;
    ++mean.n;
    return;
  }
  ++mean.n_undefined;
  if (mean.why.empty()) mean.why = why;
}

MeanValue finished(MeanValue mean) {
  mean.value = mean.n > 0 ? mean.value / static_cast<double>(mean.n) : std::numeric_limits<double>::quiet_NaN();
  if (mean.n == 0 && mean.why.empty()) mean.why = "not computed";
  return mean;
}

std::vector<ReportedMethod> ordered_methods(const BenchmarkReport& report) {
  std::set<std::string> names;
  for (const ScoreRow& row : report.scores) names.insert(row.method);
  for (const ReportedGeometry& row : report.geometry) names.insert(row.method);
  std::vector<ReportedMethod> methods;
  for (const std::string& name : names) {
    const auto known = std::find_if(report.methods.begin(), report.methods.end(),
                                    [&](const ReportedMethod& method) { return method.name == name; });
    methods.push_back(known != report.methods.end() ? *known
                                                    : ReportedMethod{name, name, MethodRole::kMethod, {}, false, {}});
    if (methods.back().label.empty()) methods.back().label = name;
  }
  std::stable_sort(methods.begin(), methods.end(),
                   [](const ReportedMethod& a, const ReportedMethod& b) { return a.role < b.role; });
  return methods;
}

}  // namespace

ScoreView::ScoreView(const BenchmarkReport& report) : report_(report), methods_(ordered_methods(report)) {
  std::set<std::string> samples;
  for (const ScoreRow& row : report.scores) {
    samples.insert(row.sample_id);
    rows_[row.sample_id][row.method][row.metric] = &row;
  }
  for (const ReportedGeometry& row : report.geometry) samples.insert(row.sample_id);
  samples_.assign(samples.begin(), samples.end());
}

std::vector<const metrics::MetricRecord*> ScoreView::records(const std::string& group) const {
  std::set<std::string> seen;
  for (const ScoreRow& row : report_.scores) seen.insert(row.metric);
  std::vector<const metrics::MetricRecord*> found;
  for (const metrics::MetricRecord* record : metrics::metrics_of(group))
    if (seen.contains(record->name)) found.push_back(record);
  return found;
}

std::vector<const metrics::MetricRecord*> ScoreView::ranked_metrics() const {
  std::vector<const metrics::MetricRecord*> all = records("bio_conservation");
  for (const metrics::MetricRecord* record : records("batch_mixing")) all.push_back(record);
  return all;
}

std::vector<std::string> ScoreView::families() const {
  std::vector<std::string> names;
  for (const metrics::MetricRecord* record : ranked_metrics())
    if (*record->family && std::find(names.begin(), names.end(), record->family) == names.end())
      names.emplace_back(record->family);
  return names;
}

const ScoreRow* ScoreView::find(const std::string& sample, const std::string& method, const std::string& metric) const {
  const auto of_sample = rows_.find(sample);
  if (of_sample == rows_.end()) return nullptr;
  const auto of_method = of_sample->second.find(method);
  if (of_method == of_sample->second.end()) return nullptr;
  const auto row = of_method->second.find(metric);
  return row == of_method->second.end() ? nullptr : row->second;
}

bool ScoreView::has(const std::string& sample, const std::string& method) const {
  const auto of_sample = rows_.find(sample);
  return of_sample != rows_.end() && of_sample->second.contains(method);
}

MeanValue ScoreView::over_samples(const std::string& method, const std::string& metric) const {
  MeanValue mean;
  for (const std::string& sample : samples_)
    if (const ScoreRow* row = find(sample, method, metric)) add_value(mean, row->value, row->note);
  return finished(mean);
}

MeanValue ScoreView::over_family(const std::string& sample, const std::string& method,
                                 const std::string& family) const {
  MeanValue mean;
  for (const metrics::MetricRecord* record : ranked_metrics()) {
    if (family != record->family) continue;
    if (const ScoreRow* row = find(sample, method, record->name)) add_value(mean, row->value, row->note);
  }
  return finished(mean);
}

MeanValue ScoreView::family_mean(const std::string& method, const std::string& family) const {
  MeanValue mean;
  for (const std::string& sample : samples_) {
    if (!has(sample, method)) continue;
    const MeanValue of_sample = over_family(sample, method, family);
    add_value(mean, of_sample.value, of_sample.why);
  }
  return finished(mean);
}

std::string shown_name(const ReportedMethod& method) {
  if (method.role == MethodRole::kMethod) return method.label;
  return method.label + (method.role == MethodRole::kFloor ? " (floor)" : " (ceiling)");
}

std::string page_id(const std::string& name) {
  std::string id;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)))
      id += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (!id.empty() && id.back() != '-')
      id += '-';
  }
  return id;
}

}  // namespace benchmark_page
}  // namespace scvet::jobs
