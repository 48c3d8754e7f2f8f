// What drawn nulls say, the published summary line, and the published values beside it.
#include <algorithm>
#include <cmath>

#include "audit_report_parts.h"
#include "scvet/base/text.h"

namespace scvet::jobs::audit_page {

using report::Grid;
using report::Page;

namespace {

Grid paper_grid(const AuditReportInput& input) {
  Grid grid{.id = "paper-line", .caption = "Summary line", .columns = {}, .rows = {}};
  grid.columns = {{.name = "Data set"},
                  {.name = "n", .numeric = true},
                  {.name = "Mean J*", .numeric = true},
                  {.name = "Max J*", .numeric = true},
                  {.name = "With a p", .numeric = true},
                  {.name = "p < 0.05", .numeric = true},
                  {.name = "p < 0.01", .numeric = true},
                  {.name = "No candidate",
                   .numeric = true,
                   .explanation = "Cells for which the engine found no corpus cell to compare; their J* is 0"}};
  const bool uniform = asked_for(input, "uniform");
  for (const ReportDataset& dataset : input.datasets) {
    const PaperLine line = paper_line(*dataset.outcome, uniform);
    grid.rows.push_back({dataset.outcome->name, report::count_cell(line.n), report::fixed_cell(line.mean_jstar, 3),
                         report::fixed_cell(line.max_jstar, 3), report::count_cell(line.n_p),
                         report::percent_cell(line.share_05, 2), report::percent_cell(line.share_01, 2),
                         report::percent_cell(line.share_no_candidate, 2)});
  }
  grid.note = "Engine " + input.engine + ", null " + (uniform ? "uniform" : "same_cell") +
              "; strict thresholds, cells without a p left out. ";
  grid.note += uniform
                   ? "These p ask whether a cell is a random gene set; nearly every real cell is not, so large shares "
                     "are what unseen data give as well."
                   : "The p values are conservative per cell: about as many small ones as chance gives is what no "
                     "contamination looks like.";
  return grid;
}

Grid published_grid() {
  Grid grid{.id = "published", .caption = "Reported by the paper for its own data", .columns = {}, .rows = {}};
  grid.columns = {{.name = "Benchmark"},
                  {.name = "n", .numeric = true},
                  {.name = "Mean J*", .numeric = true},
                  {.name = "Max J*", .numeric = true},
                  {.name = "p < 0.05", .numeric = true},
                  {.name = "p < 0.01", .numeric = true},
                  {.name = "Its status"}};
  for (const PublishedRow& row : published_rows())
    grid.rows.push_back({row.dataset, report::count_cell(row.n), report::fixed_cell(row.mean_jstar, 3),
                         report::fixed_cell(row.max_jstar, 3), report::percent_cell(row.share_05, 2),
                         report::percent_cell(row.share_01, 2), row.status});
  grid.note =
      "Its Table 4, against 1,000,000 cells of Genecorpus-30M, given for comparison; nothing here is fitted to it. A null "
      "drawn for each cell is so narrow that p is either the smallest possible or near 1, so shares between 0 and 100 % "
      "at both limits cannot come from the recipe as it is described; docs/audit.md has the argument.";
  return grid;
}

struct Drawn {
  const char* null;
  audit::DrawnLevel audit::CellOutcome::*level;
};
constexpr Drawn kDrawn[] = {{"uniform", &audit::CellOutcome::uniform}, {"frequency", &audit::CellOutcome::frequency}};

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? audit::kNaN : sum / static_cast<double>(values.size());
}

Grid drawn_grid(const AuditReportInput& input) {
  Grid grid{.id = "drawn-nulls", .caption = "J* against random sets of the same size", .columns = {}, .rows = {}};
  grid.columns = {
      {.name = "Data set"},
      {.name = "Null"},
      {.name = "Cells", .numeric = true, .explanation = "Cells of enough genes for this null"},
      {.name = "Their mean J*", .numeric = true},
      {.name = "Null mean", .numeric = true},
      {.name = "Null sd", .numeric = true, .explanation = "Within the draws of one size, averaged over cells"},
      {.name = "Null max", .numeric = true},
      {.name = "Mean excess", .numeric = true, .explanation = "J* less the null's mean"}};
  for (const ReportDataset& dataset : input.datasets)
    for (const Drawn& drawn : kDrawn) {
      if (!asked_for(input, drawn.null)) continue;
      std::vector<double> jstar, mean, sd, excess;
      double most = audit::kNaN;
      for (const audit::CellOutcome& cell : dataset.outcome->cells) {
        const audit::DrawnLevel& level = cell.*drawn.level;
        if (std::isnan(level.mean)) continue;
        jstar.push_back(cell.best.jaccard());
        mean.push_back(level.mean);
        sd.push_back(level.sd);
        excess.push_back(jstar.back() - level.mean);
        most = std::fmax(most, level.max);
      }
      grid.rows.push_back(
          {dataset.outcome->name, drawn.null, report::count_cell(static_cast<std::int64_t>(jstar.size())),
           report::fixed_cell(mean_of(jstar), 3), report::fixed_cell(mean_of(mean), 4),
           report::fixed_cell(mean_of(sd), 4), report::fixed_cell(most, 3), report::fixed_cell(mean_of(excess), 3)});
    }
  grid.note =
      "A diagnostic: real cells of every origin lie above such sets, because genes vary together. Per cell: p_uniform, "
      "excess_frequency and the j_ columns of cells.csv.";
  return grid;
}

}  // namespace

void add_drawn_nulls(Page& page, const AuditReportInput& input) {
  page.table(paper_grid(input));
  if (input.paper) page.table(published_grid());
  if (asked_for(input, "uniform") || asked_for(input, "frequency")) page.table(drawn_grid(input));
}

}  // namespace scvet::jobs::audit_page
