// The order of the report. Each section is written in benchmark_report_<part>.cpp.
#include "scvet/jobs/benchmark_report.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "benchmark_report_parts.h"
#include "scvet/base/files.h"
#include "scvet/base/version.h"

namespace scvet::jobs {
namespace {

using namespace benchmark_page;
using nlohmann::json;

json number(double value) { return std::isfinite(value) ? json(value) : json(); }

// What programs read: the rows, and the tables that the page offers for download.
std::string summary_json(const ScoreView& view) {
  json scores = json::array(), methods = json::array(), tables = json::object();
  for (const ScoreRow& row : view.report().scores)
    scores.push_back({{"sample_id", row.sample_id},
                      {"method", row.method},
                      {"metric", row.metric},
                      {"value", number(row.value)},
                      {"note", row.note}});
  for (const ReportedMethod& method : view.methods()) {
    json families = json::object();
    for (const std::string& family : view.families())
      families[family] = number(view.family_mean(method.name, family).value);
    methods.push_back({{"name", method.name}, {"uses_labels", method.uses_labels}, {"families", families}});
  }
  for (const CarriedTable& table : view.report().tables) tables[table.name] = table.content;
  return json{{"scvet_version", version()},
              {"samples", view.samples()},
              {"methods", methods},
              {"scores", scores},
              {"tables", tables}}
      .dump(-1, ' ', false, json::error_handler_t::replace);
}

report::Document document(const BenchmarkReport& input) {
  const ScoreView view(input);
  report::Document page("Benchmark of embeddings", std::to_string(view.methods().size()) + " methods and controls, " +
                                                       std::to_string(view.samples().size()) + " files");
  add_overview(page, view);
  add_scores(page, view);
  add_families(page, view);
  add_balance(page, view);
  add_geometry(page, view);
  add_table(page, view);
  add_undefined(page, view);
  add_metrics(page, view);
  add_provenance(page, view);
  add_downloads(page, view);
  page.data(summary_json(view));
  return page;
}

}  // namespace

std::string benchmark_report_html(const BenchmarkReport& report) { return document(report).html(); }
std::string benchmark_report_markdown(const BenchmarkReport& report) { return document(report).markdown(); }

void write_benchmark_report(const std::string& folder, const BenchmarkReport& report) {
  const report::Document page = document(report);
  write_file(folder + "/report.html", page.html());
  write_file(folder + "/report.md", page.markdown());
}

}  // namespace scvet::jobs
