// Geometry probes: a panel a column that people read, a dot a file.
#include <algorithm>
#include <cmath>

#include "benchmark_report_parts.h"
#include "scvet/report/charts.h"

namespace scvet::jobs::benchmark_page {
namespace {

struct Panel {
  const char *column, *title, *meaning;
};

constexpr Panel kPanels[] = {
    {"npr", "Directions in use", "participation ratio as a share of the dimensions: 1 uses all alike"},
    {"aniso_cos", "Narrowness", "mean cosine of pairs of cells: 0 all directions, 1 one narrow cone"},
    {"aniso_cos_ct_gap", "Types apart in angle", "cosine inside cell types less that between them"},
    {"rnx_mean", "Neighbourhoods kept", "R_NX: neighbours in expression that stay neighbours; 0 is chance"},
    {"id_twonn_z", "Intrinsic dimension", "TwoNN on standardised coordinates"},
    {"partial_eta2_celltype", "Variance by cell type", "partial eta squared, batch held fixed"},
    {"partial_eta2_batch", "Variance by batch", "partial eta squared, cell type held fixed"}};

double value_of(const ReportedGeometry& row, const std::string& column) {
  for (const auto& [name, value] : row.values)
    if (name == column) return value;
  return std::nan("");
}

std::vector<report::Dot> dots_of(const ScoreView& view, const std::string& column) {
  std::vector<report::Dot> dots;
  for (const ReportedMethod& method : view.methods())
    for (const ReportedGeometry& row : view.report().geometry)
      if (row.method == method.name && std::isfinite(value_of(row, column)))
        dots.push_back({shown_name(method), row.sample_id, value_of(row, column),
                        method.role == MethodRole::kMethod ? "method" : "control"});
  return dots;
}

void add_values(report::Document& page, const ScoreView& view) {
  report::Grid grid{.id = "geometry", .caption = "Geometry, a row a method and file", .columns = {}, .rows = {}};
  grid.columns = {{.name = "Method", .nowrap = true}, {.name = "File", .nowrap = true}};
  for (const Panel& panel : kPanels)
    grid.columns.push_back({.name = panel.column, .numeric = true, .explanation = panel.meaning});
  grid.columns.push_back({.name = "Incomplete because"});
  for (const ReportedMethod& method : view.methods())
    for (const ReportedGeometry& row : view.report().geometry) {
      if (row.method != method.name) continue;
      std::vector<report::Cell> cells = {shown_name(method), row.sample_id};
      for (const Panel& panel : kPanels) cells.push_back(report::number_cell(value_of(row, panel.column), 4));
      cells.emplace_back(row.failure);
      grid.rows.push_back(std::move(cells));
    }
  page.table(grid);
}

}  // namespace

void add_geometry(report::Document& page, const ScoreView& view) {
  if (view.report().geometry.empty()) return;
  page.section("Geometry", "geometry");
  page.paragraph("These numbers describe an embedding; they are not better when they are larger. A dot is a file.");
  page.begin_columns();
  for (const Panel& panel : kPanels) {
    const std::vector<report::Dot> dots = dots_of(view, panel.column);
    if (dots.empty()) continue;
    page.chart(report::dots_chart(
        {.id = "geometry-" + page_id(panel.column),
         .caption = panel.title,
         .alt = std::string(panel.meaning) + ", of each method and file.",
         .note = std::string(panel.meaning) + " (" + panel.column + ")",
         .x_title = panel.column,
         .y_title = "method"},
        dots, {}, {{"method", report::kColourGood, "circle"}, {"control", report::kColourPale, "diamond"}}));
  }
  page.end_columns();
  add_values(page, view);
}

}  // namespace scvet::jobs::benchmark_page
