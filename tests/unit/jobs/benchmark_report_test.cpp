// The report of a benchmark, made of a small table whose means are worked by hand.
#include "scvet/jobs/benchmark_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "scvet/metrics/metric.h"

namespace scvet::jobs {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

const double kNone = std::nan("");

ScoreRow score(const std::string& sample, const std::string& method, const std::string& metric, double value,
               const std::string& note = "") {
  ScoreRow row;
  row.sample_id = sample;
  row.method = method;
  row.metric = metric;
  row.value = value;
  row.note = note;
  row.n_cells = 100;
  return row;
}

BenchmarkReport sample() {
  BenchmarkReport report;
  report.scores = {score("lung", "pca", "ASW", 0.5),
                   score("lung", "pca", "cLISI", 0.9),
                   score("lung", "pca", "iLISI", 0.3),
                   score("eye", "pca", "ASW", 0.7),
                   score("eye", "pca", "cLISI", kNone, "single_label"),
                   score("eye", "pca", "iLISI", kNone, "single_batch"),
                   score("lung", "random", "ASW", 0.1),
                   score("lung", "random", "cLISI", 0.2),
                   score("lung", "random", "iLISI", 1),
                   score("lung", "<b>mine</b>", "ASW", 0.6)};
  report.methods = {reported_method("pca"), reported_method("random")};
  report.geometry = {{"lung", "pca", {{"npr", 0.8}, {"rnx_mean", 0.25}}, ""},
                     {"eye", "pca", {}, "RuntimeError:broken"}};
  report.facts = {{"Clustering", "leiden"}};
  report.tables = {{"pca_long.csv", "sample_id,method\nlung,\"a,b\"\n"}};
  return report;
}

std::string own(const std::string& html) { return html.substr(0, html.find("<script>")); }

json data(const std::string& html) {
  const std::string mark = "id=\"scvet-data\">";
  const std::size_t from = html.find(mark) + mark.size();
  return json::parse(html.substr(from, html.find("</script>", from) - from));
}

json method_of(const json& summary, const std::string& name) {
  for (const json& method : summary["methods"])
    if (method["name"] == name) return method;
  return {};
}

TEST(BenchmarkReport, MeansAreOverWhatIsDefinedMetricsFirstThenFiles) {
  const json pca = method_of(data(benchmark_report_html(sample())), "pca");
  EXPECT_DOUBLE_EQ(pca["families"]["separation"].get<double>(), ((0.5 + 0.9) / 2 + 0.7) / 2);
  EXPECT_DOUBLE_EQ(pca["families"]["batch mixing"].get<double>(), 0.3);
  const json mine = method_of(data(benchmark_report_html(sample())), "<b>mine</b>");
  EXPECT_TRUE(mine["families"]["batch mixing"].is_null());
}

TEST(BenchmarkReport, EveryRowIsInTheDataAndEveryTableCanBeTaken) {
  const json summary = data(benchmark_report_html(sample()));
  ASSERT_EQ(summary["scores"].size(), 10u);
  EXPECT_EQ(summary["scores"][1]["value"], 0.9);
  EXPECT_TRUE(summary["scores"][4]["value"].is_null());
  EXPECT_EQ(summary["tables"]["pca_long.csv"], "sample_id,method\nlung,\"a,b\"\n");
  EXPECT_THAT(own(benchmark_report_html(sample())), HasSubstr("id=\"downloads\""));
}

TEST(BenchmarkReport, UndefinedValuesStandWithTheirReasons) {
  const std::string text = benchmark_report_markdown(sample());
  EXPECT_THAT(text, HasSubstr("| pca"));
  for (const char* reason : {"single\\_label", "single\\_batch", "RuntimeError:broken"})
    EXPECT_THAT(text, HasSubstr(reason));
}

TEST(BenchmarkReport, ControlsAreFloorAndCeilingAndTheLast) {
  BenchmarkReport report = sample();
  for (const char* name : {"oracle", "pca_shuffle_type", "pca_shuffle_batch"}) {
    report.scores.push_back(score("lung", name, "ASW", 0.9));
    report.methods.push_back(reported_method(name));
  }
  const std::string text = benchmark_report_markdown(report);
  EXPECT_THAT(text, HasSubstr("Random (floor)"));
  EXPECT_THAT(text, HasSubstr("Oracle (ceiling)"));
  EXPECT_LT(text.find("| \\<b\\>mine"), text.find("| Random (floor)"));
  EXPECT_EQ(reported_method("scgpt").role, MethodRole::kMethod);
  EXPECT_TRUE(reported_method("oracle").uses_labels);
}

TEST(BenchmarkReport, WithoutControlsAReaderIsTold) {
  BenchmarkReport report = sample();
  std::erase_if(report.scores, [](const ScoreRow& row) { return row.method == "random"; });
  EXPECT_THAT(benchmark_report_markdown(report), HasSubstr("No control was scored"));
  EXPECT_THAT(benchmark_report_markdown(sample()), Not(HasSubstr("No control was scored")));
}

TEST(BenchmarkReport, EveryMetricShownIsExplained) {
  const std::string text = benchmark_report_markdown(sample());
  for (const metrics::MetricRecord* record : metrics::metrics_of("batch_mixing")) {
    if (std::string(record->name) != "iLISI") continue;
    EXPECT_THAT(text, HasSubstr(std::string("| ") + record->version));
  }
  EXPECT_THAT(text, HasSubstr("| iLISI |"));
}

TEST(BenchmarkReport, NamesOfFilesAndMethodsAreText) {
  const std::string html = own(benchmark_report_html(sample()));
  EXPECT_THAT(html, Not(HasSubstr("<b>mine</b>")));
  EXPECT_THAT(html, HasSubstr("&lt;b&gt;mine&lt;/b&gt;"));
}

TEST(BenchmarkReport, GeometryAloneAndNothingAtAllMakeAPage) {
  BenchmarkReport geometry = sample();
  geometry.scores.clear();
  EXPECT_THAT(benchmark_report_html(geometry), HasSubstr("id=\"table-geometry\""));
  EXPECT_THAT(benchmark_report_html({}), HasSubstr("What was scored"));
}

TEST(BenchmarkReport, TheSameTablesGiveTheSameBytes) {
  EXPECT_EQ(benchmark_report_html(sample()), benchmark_report_html(sample()));
}

}  // namespace
}  // namespace scvet::jobs
