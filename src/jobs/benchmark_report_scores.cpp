// Scores: heat maps of metrics and of families, family bars, batch mixing against biology.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "benchmark_report_parts.h"
#include "scvet/base/text.h"
#include "scvet/report/charts.h"
#include "scvet/report/heat_chart.h"

namespace scvet::jobs::benchmark_page {
namespace {

constexpr const char* kMixing = "batch mixing";

std::string of_samples(const MeanValue& mean) {
  std::string text = fmt::format("mean of {} {}", mean.n, mean.n == 1 ? "file" : "files");
  if (mean.n_undefined > 0) text += fmt::format("; undefined in {}: {}", mean.n_undefined, mean.why);
  return text;
}

// The colours of a heat map: 0 to 1 unless values lie outside.
std::pair<double, double> range_of(const std::vector<report::HeatCell>& cells) {
  double low = 0, high = 1;
  for (const report::HeatCell& cell : cells)
    if (std::isfinite(cell.value)) low = std::min(low, cell.value), high = std::max(high, cell.value);
  return {low, high};
}

void add_heat(report::Document& page, const report::ChartText& text, const std::vector<report::HeatCell>& cells) {
  if (cells.empty()) return;
  const auto [low, high] = range_of(cells);
  page.chart(report::heat_chart(text, low, high, cells));
}

void metric_heat(report::Document& page, const ScoreView& view) {
  std::vector<report::HeatCell> cells;
  for (const ReportedMethod& method : view.methods())
    for (const metrics::MetricRecord* record : view.ranked_metrics()) {
      const MeanValue mean = view.over_samples(method.name, record->name);
      cells.push_back({shown_name(method), record->name, mean.value, mean.n > 0 ? of_samples(mean) : mean.why});
    }
  add_heat(
      page,
      {.id = "metrics",
       .caption = "Every metric, mean over the files",
       .alt = "A row a method, a column a metric; the brighter, the higher the score. Controls are the last rows.",
       .note = "Grey with a dash: undefined in every file; the reason is in the tooltip and in the table of undefined "
               "values.",
       .x_title = "metric",
       .y_title = "method"},
      cells);
}

void family_heat(report::Document& page, const ScoreView& view, const std::string& family) {
  std::vector<report::HeatCell> cells;
  for (const ReportedMethod& method : view.methods())
    for (const std::string& sample : view.samples()) {
      const MeanValue mean = view.over_family(sample, method.name, family);
      const std::string note = view.has(sample, method.name) ? mean.why : "this file was not scored with this method";
      cells.push_back({shown_name(method), sample, mean.value, mean.n > 0 && mean.n_undefined == 0 ? "" : note});
    }
  add_heat(page,
           {.id = "files-" + page_id(family),
            .caption = "By file: " + family,
            .alt = "A row a method, a column a file: mean of the " + family + " metrics.",
            .x_title = "file",
            .y_title = "method"},
           cells);
}

double biology_of(const ScoreView& view, const std::string& method) {
  double sum = 0, n = 0;
  for (const std::string& family : view.families()) {
    if (family == kMixing) continue;
    const double value = view.family_mean(method, family).value;
    if (std::isfinite(value)) sum += value, n += 1;
  }
  return sum / n;  // NaN where there is none
}

}  // namespace

void add_scores(report::Document& page, const ScoreView& view) {
  if (view.ranked_metrics().empty()) return;
  page.section("Scores", "scores");
  metric_heat(page, view);
  page.begin_details("Scores by method and file, family by family", "by-file", true);
  for (const std::string& family : view.families()) family_heat(page, view, family);
  page.end_details();
}

void add_families(report::Document& page, const ScoreView& view) {
  if (view.families().empty()) return;
  page.section("Families of metrics", "families");
  page.paragraph(
      "Metrics of one family look at the same side of an embedding. Each bar is the mean of the family's defined metrics, "
      "then of the files. A bar means little alone: read it between the floor and the ceiling of the controls.");
  page.begin_columns();
  for (const std::string& family : view.families()) {
    std::vector<report::Bar> bars;
    std::vector<std::string> without;
    for (const ReportedMethod& method : view.methods()) {
      const MeanValue mean = view.family_mean(method.name, family);
      if (std::isfinite(mean.value))
        bars.push_back({shown_name(method), mean.value});
      else
        without.push_back(shown_name(method) + " (" + mean.why + ")");
    }
    std::stable_sort(bars.begin(), bars.end(),
                     [](const report::Bar& a, const report::Bar& b) { return a.value > b.value; });
    if (bars.empty()) {
      page.note(report::Tone::kUnsure, family + ": undefined for every method: " + join(without, "; "));
      continue;
    }
    page.chart(report::bar_chart({.id = "family-" + page_id(family),
                                  .caption = family,
                                  .alt = "Mean of the " + family + " metrics of each method, largest first.",
                                  .note = without.empty() ? "" : "Undefined: " + join(without, "; "),
                                  .x_title = "mean score",
                                  .y_title = "method"},
                                 bars));
  }
  page.end_columns();
}

void add_balance(report::Document& page, const ScoreView& view) {
  const std::vector<std::string> families = view.families();
  if (families.size() < 2 || std::find(families.begin(), families.end(), kMixing) == families.end()) return;
  std::vector<report::PointSeries> series;
  std::vector<std::string> without;
  for (std::size_t at = 0; at < view.methods().size(); ++at) {
    const ReportedMethod& method = view.methods()[at];
    const double mixing = view.family_mean(method.name, kMixing).value, biology = biology_of(view, method.name);
    if (!std::isfinite(mixing) || !std::isfinite(biology)) {
      without.push_back(shown_name(method));
      continue;
    }
    const char* shape = method.role == MethodRole::kMethod  ? "circle"
                        : method.role == MethodRole::kFloor ? "triangle-down"
                                                            : "triangle-up";
    series.push_back({shown_name(method), report::colour_of(at), shape, {{mixing, biology}}});
  }
  if (series.empty()) return;
  page.section("Batch mixing against biology", "balance");
  page.paragraph(
      "To the right batches are mixed better, upwards cell types are kept better. Mixing alone is easy: random numbers mix "
      "batches perfectly and keep no cell type. What counts is to be high and to the right of methods that are as high.");
  page.chart(report::scatter_chart(
      {.id = "balance",
       .caption = "Batch mixing against conservation of biology",
       .alt = "A point a method: mean of the batch mixing metrics against the mean of the other three families.",
       .note = without.empty() ? "" : "Without a value on both axes: " + join(without, ", ") + ".",
       .x_title = "batch mixing",
       .y_title = "conservation of biology"},
      {}, series));
}

}  // namespace scvet::jobs::benchmark_page
