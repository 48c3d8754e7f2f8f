// Tables: all scores, what is undefined and why, the metrics, what gave each value.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "benchmark_report_parts.h"
#include "scvet/base/text.h"

namespace scvet::jobs::benchmark_page {
namespace {

using report::Cell;
using report::Grid;

// A number, or a dash whose reason is the tooltip of nothing: it is in the table of undefined values.
Cell score_cell(const ScoreRow* row) {
  if (!row || !std::isfinite(row->value)) return Cell("\xE2\x80\x93", report::Tone::kUnsure);
  return report::fixed_cell(row->value, 4);
}

const ScoreRow* any_row(const ScoreView& view, const std::string& sample, const std::string& method) {
  for (const metrics::MetricRecord* record : view.ranked_metrics())
    if (const ScoreRow* row = view.find(sample, method, record->name)) return row;
  for (const metrics::MetricRecord* record : view.records("extra"))
    if (const ScoreRow* row = view.find(sample, method, record->name)) return row;
  return nullptr;
}

const char* role_word(MethodRole role) {
  switch (role) {
    case MethodRole::kMethod:
      return "method";
    case MethodRole::kFloor:
      return "floor";
    case MethodRole::kCeiling:
      return "ceiling";
  }
  return "method";
}

void score_grid(report::Document& page, const ScoreView& view, const std::vector<const metrics::MetricRecord*>& records,
                const std::string& id, const std::string& caption) {
  if (records.empty()) return;
  Grid grid{.id = id, .caption = caption, .columns = {}, .rows = {}};
  grid.columns = {
      {.name = "Method", .nowrap = true}, {.name = "File", .nowrap = true}, {.name = "Cells", .numeric = true}};
  for (const metrics::MetricRecord* record : records)
    grid.columns.push_back({.name = record->name, .numeric = true, .explanation = record->label});
  for (const ReportedMethod& method : view.methods())
    for (const std::string& sample : view.samples()) {
      const ScoreRow* any = any_row(view, sample, method.name);
      if (!any) continue;
      std::vector<Cell> row = {shown_name(method), sample, report::count_cell(any->n_cells)};
      for (const metrics::MetricRecord* record : records)
        row.push_back(score_cell(view.find(sample, method.name, record->name)));
      grid.rows.push_back(std::move(row));
    }
  page.table(grid);
}

}  // namespace

void add_overview(report::Document& page, const ScoreView& view) {
  std::vector<std::string> controls, label_users;
  for (const ReportedMethod& method : view.methods()) {
    if (method.role != MethodRole::kMethod) controls.push_back(shown_name(method));
    if (method.uses_labels && method.role == MethodRole::kMethod) label_users.push_back(method.label);
  }
  page.section("What was scored", "overview");
  std::vector<std::pair<std::string, std::string>> facts = {
      {"Files", fmt::format("{}: {}", view.samples().size(), join_some(view.samples(), 30))},
      {"Methods", std::to_string(view.methods().size() - controls.size())},
      {"Controls", controls.empty() ? "none" : join(controls, ", ")}};
  facts.insert(facts.end(), view.report().facts.begin(), view.report().facts.end());
  page.facts(facts, "facts");
  if (controls.empty())
    page.note(
        report::Tone::kUnsure,
        "No control was scored, so nothing says what a score of this data set can be. Embed 'random' and 'oracle', "
        "and, where there are batches, the two shuffles.");
  if (!label_users.empty())
    page.note(report::Tone::kBad,
              "Made with the labels that they are scored against: " + join(label_users, ", ") + ".");
  std::set<std::string> dropped;
  for (const ScoreRow& row : view.report().scores)
    if (row.note.find("dropped_nan_rows") != std::string::npos) dropped.insert(row.method + " on " + row.sample_id);
  if (!dropped.empty())
    page.note(report::Tone::kUnsure, "Scored on fewer cells, as some could not be embedded: " +
                                         join(std::vector<std::string>(dropped.begin(), dropped.end()), ", ") + ".");
}

void add_table(report::Document& page, const ScoreView& view) {
  if (view.report().scores.empty()) return;
  page.section("All scores", "table");
  page.paragraph("A click on the head of a column sorts the table by it.");
  score_grid(page, view, view.ranked_metrics(), "scores", "The 13 metrics, a row a method and file");
  score_grid(page, view, view.records("extra"), "extra", "Further metrics, which are not ranked");
}

void add_undefined(report::Document& page, const ScoreView& view) {
  Grid grid{.id = "undefined", .caption = "Values that are undefined, and why", .columns = {}, .rows = {}};
  grid.columns = {
      {.name = "Method", .nowrap = true}, {.name = "File", .nowrap = true}, {.name = "Metric"}, {.name = "Reason"}};
  for (const ReportedMethod& method : view.methods())
    for (const ScoreRow& row : view.report().scores)
      if (row.method == method.name && !std::isfinite(row.value))
        grid.rows.push_back(
            {shown_name(method), row.sample_id, row.metric, row.note.empty() ? "not stated" : row.note});
  if (grid.rows.empty()) return;
  page.subsection("Undefined values", "undefined");
  page.table(grid);
}

void add_metrics(report::Document& page, const ScoreView& view) {
  Grid grid{.id = "metrics", .caption = "The metrics", .columns = {}, .rows = {}};
  grid.columns = {{.name = "Metric"},
                  {.name = "What it is"},
                  {.name = "Family"},
                  {.name = "Range"},
                  {.name = "Without information"},
                  {.name = "Undefined"},
                  {.name = "Version"},
                  {.name = "Source"}};
  for (const char* group : {"bio_conservation", "batch_mixing", "extra"})
    for (const metrics::MetricRecord* record : view.records(group))
      grid.rows.push_back({record->name, record->label, *record->family ? record->family : "not ranked",
                           report::short_number(record->least) + " to " + report::short_number(record->most),
                           record->chance, record->undefined, record->version, record->source});
  if (grid.rows.empty()) return;
  page.section("What the numbers mean", "meaning");
  page.paragraph("Larger is better for every metric. The version of a metric changes with any change of its values.");
  page.table(grid);
}

void add_provenance(report::Document& page, const ScoreView& view) {
  Grid grid{.id = "methods", .caption = "What gave each embedding", .columns = {}, .rows = {}};
  grid.columns = {{.name = "Method"}, {.name = "Role"}, {.name = "Uses labels"}, {.name = "Made by"}};
  for (const ReportedMethod& method : view.methods())
    grid.rows.push_back({method.label + (method.label == method.name ? "" : " (" + method.name + ")"),
                         method.role_text.empty() ? role_word(method.role) : method.role_text,
                         method.uses_labels ? Cell("yes", report::Tone::kBad) : Cell("no"),
                         method.made_by.empty() ? "not known" : method.made_by});
  page.section("What gave each value", "provenance");
  page.table(grid);
}

void add_downloads(report::Document& page, const ScoreView& view) {
  if (view.report().tables.empty()) return;
  page.section("Tables to download", "downloads");
  std::vector<std::string> names;
  for (const CarriedTable& table : view.report().tables) names.push_back(table.name);
  page.paragraph("This page carries them whole, as they lie in the folder of results: " + join_some(names, 12) + ".");
}

}  // namespace scvet::jobs::benchmark_page
