// How near the cells are: distributions of J* and p, and J* against size.
#include <algorithm>
#include <cmath>

#include "audit_report_parts.h"
#include "scvet/base/text.h"

namespace scvet::jobs::audit_page {

using report::Page;

namespace {

constexpr std::size_t kPoints = 5000;  // a chart

std::vector<report::BinSeries> series_of(const std::array<std::vector<double>, kClasses>& counts) {
  std::vector<report::BinSeries> series;
  for (std::size_t at = 0; at < kClasses; ++at) {
    const bool any = std::any_of(counts[at].begin(), counts[at].end(), [](double count) { return count > 0; });
    const ClassStyle& style = style_of(static_cast<CellClass>(at));
    if (any) series.push_back({style.name, style.colour, counts[at]});
  }
  return series;
}

// J* of every data set as outlines, when there is something to compare.
void add_comparison(Page& page, const AuditReportInput& input) {
  constexpr std::size_t kMost = 7;  // outlines that can be told apart
  if (input.datasets.size() < 2) return;
  if (input.datasets.size() > kMost) {
    page.paragraph("The data sets are too many for one chart; each has its own below, and the table compares them.");
    return;
  }
  std::vector<report::BinSeries> series;
  for (const ReportDataset& dataset : input.datasets) {
    const auto n_cells = static_cast<double>(dataset.outcome->cells.size());
    if (n_cells == 0) continue;
    std::vector<double> heights(kBins, 0.0);
    for (const std::vector<double>& counts : distribution_of(*dataset.outcome).jstar)
      for (std::size_t bin = 0; bin < kBins; ++bin) heights[bin] += counts[bin] / n_cells;
    series.push_back({dataset.outcome->name, report::colour_of(series.size()), std::move(heights)});
  }
  page.chart(report::outline_chart({.id = "jstar-all",
                                    .caption = "J* of every data set",
                                    .alt = "Distribution of J* between 0 and 1, one outline per data set.",
                                    .note = "Share of each data set's cells in bins of 0.02.",
                                    .x_title = "J*, similarity to the nearest corpus cell",
                                    .y_title = "cells"},
                                   0, 1, series));
}

void add_size_chart(Page& page, const ReportDataset& dataset, std::size_t number) {
  std::array<std::vector<std::pair<double, double>>, kClasses> points;
  for (const audit::CellOutcome& cell : dataset.outcome->cells)
    if (cell.size > 0)
      points[static_cast<std::size_t>(class_of(cell))].emplace_back(static_cast<double>(cell.size),
                                                                    cell.best.jaccard());
  // Flagged cells have the right of way: at most half of the room, the rest goes to the others.
  const std::size_t n_plain = points[0].size();
  std::size_t n_other = 0;
  for (std::size_t at = 1; at < kClasses; ++at) n_other += points[at].size();
  const std::size_t other_room = std::min(n_other, std::max(kPoints / 2, kPoints - std::min(kPoints, n_plain)));
  std::vector<report::PointSeries> series;
  std::size_t n_shown = 0;
  for (std::size_t at = 0; at < kClasses; ++at) {
    if (points[at].empty()) continue;
    const std::size_t room =
        at == 0 ? kPoints - other_room
                : std::max<std::size_t>(1, other_room * points[at].size() / std::max<std::size_t>(1, n_other));
    const ClassStyle& style = style_of(static_cast<CellClass>(at));
    report::PointSeries one{style.name, style.colour, style.shape, {}};
    for (const std::size_t kept : report::thinned(points[at].size(), room)) one.points.push_back(points[at][kept]);
    n_shown += one.points.size();
    series.push_back(std::move(one));
  }
  if (series.empty()) return;
  const std::size_t n_all = n_plain + n_other;
  std::string note = "Each point is a cell; all are rows of cells.csv.";
  if (n_shown < n_all)
    note += " " + format_count(static_cast<std::int64_t>(n_shown)) + " of " +
            format_count(static_cast<std::int64_t>(n_all)) +
            " cells are drawn, of each status evenly spaced in file order.";
  page.chart(
      report::points_chart({.id = numbered("size", number),
                            .caption = "J* against fingerprint size, " + dataset.outcome->name,
                            .alt = "J* of each cell against its number of genes on the compared universe, by status.",
                            .note = note,
                            .x_title = "genes in the cell (log scale)",
                            .y_title = "J*"},
                           true, series));
}

// J* of cells of many genes is higher for that alone; what is left after depth and type is what copies stand out in.
void add_residual_line(Page& page, const ReportDataset& dataset, std::size_t number) {
  const audit::ResidualLine& line = dataset.residuals;
  if (!line.reason.empty()) {
    page.paragraph("No line after adjustment for depth and type: " + line.reason + ".");
    return;
  }
  report::Grid grid{.id = numbered("residual", number),
                    .caption = "J* after adjustment for depth and type, " + dataset.outcome->name,
                    .columns = {},
                    .rows = {}};
  grid.columns = {{.name = "Cells"},
                  {.name = "n", .numeric = true},
                  {.name = "Mean residual", .numeric = true},
                  {.name = "Above the 95 % point", .numeric = true},
                  {.name = "Above the 99 % point", .numeric = true}};
  const auto n_all = line.n_fitted + line.n_flagged;
  grid.rows.push_back({"unflagged (fitted)", report::count_cell(line.n_fitted), report::fixed_cell(0, 3),
                       report::percent_cell(.05, 1), report::percent_cell(.01, 1)});
  if (line.n_flagged > 0)
    grid.rows.push_back({"flagged", report::count_cell(line.n_flagged), report::fixed_cell(line.mean_flagged, 3),
                         report::percent_cell(line.above_95_flagged, 1),
                         report::percent_cell(line.above_99_flagged, 1)});
  grid.rows.push_back({"all", report::count_cell(n_all),
                       report::fixed_cell(line.n_flagged > 0 ? line.mean_flagged * static_cast<double>(line.n_flagged) /
                                                                   static_cast<double>(n_all)
                                                             : 0,
                                          3),
                       report::percent_cell(line.above_95, 1), report::percent_cell(line.above_99, 1)});
  grid.note =
      "Residuals of J* on 1, ln|S|, ln\xC2\xB2|S|" + std::string(dataset.annotations.label.empty() ? "" : " and type") +
      ", fitted on this benchmark's unflagged cells (no calibration data), which therefore lie above their own "
      "points in 5 and 1 % by construction. Explained: " +
      report::percent_cell(line.explained, 0).text + "; largest residual " + report::fixed_cell(line.max, 3).text + ".";
  page.table(grid);
}

void add_one_distribution(Page& page, const ReportDataset& dataset, int max_copies, std::size_t number) {
  const Distribution distribution = distribution_of(*dataset.outcome);
  const std::string& name = dataset.outcome->name;
  page.chart(report::histogram_chart({.id = numbered("jstar", number),
                                      .caption = "J* of the cells, " + name,
                                      .alt = "Number of cells by J* between 0 and 1, stacked by status.",
                                      .note = "Bins of 0.02; the counts are in audit.json under distribution.",
                                      .x_title = "J*, similarity to the nearest corpus cell",
                                      .y_title = "cells"},
                                     0, 1, series_of(distribution.jstar)));
  add_size_chart(page, dataset, number);
  add_residual_line(page, dataset, number);
  const std::vector<report::BinSeries> p_series = series_of(distribution.p_same);
  if (!p_series.empty())
    page.chart(report::histogram_chart(
        {.id = numbered("p", number),
         .caption = "p of the same_cell test, " + name,
         .alt = "Number of cells by p of the same_cell test between 0 and 1, stacked by status.",
         .note = "Bins of 0.02. " + plural(distribution.n_p_at_1, "cell", "cells") +
                 " with p = 1 are left out: the test multiplies the smallest of " + std::to_string(max_copies) +
                 " p values by " + std::to_string(max_copies) + " and stops at 1, where most cells without a copy end.",
         .x_title = "p of same_cell",
         .y_title = "cells"},
        0, 1, p_series));
}

}  // namespace

void add_distributions(Page& page, const AuditReportInput& input) {
  page.section("Similarity to the nearest corpus cell", "similarity");
  page.paragraph(
      "J* is the largest Jaccard similarity between a cell's gene set and that of any corpus cell. High values "
      "alone do not show copies: cells of common types and with many genes have near neighbours in any large "
      "corpus.");
  add_comparison(page, input);
  add_drawn_nulls(page, input);
  std::size_t number = 0;
  for (const ReportDataset& dataset : input.datasets) {
    if (input.datasets.size() > 1) page.subsection(dataset.outcome->name);
    add_one_distribution(page, dataset, input.options.max_copies, number++);
  }
}

}  // namespace scvet::jobs::audit_page
