// Sensitivity audits: cell number, batch, overlap with pretraining, the embedding itself.
#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "scvet/base/text.h"
#include "trial_report_parts.h"

namespace scvet::jobs::trial_page {

using report::Cell;
using report::Document;
using report::Grid;

namespace {

constexpr const char* kDash = "\xE2\x80\x93";
constexpr std::size_t kMostPoints = 1500;  // a part

// The audits of the first arm that has them: label audits are the same for all arms of a lock.
const ArmView* audited(const TrialView& view) {
  for (const ArmView& arm : view.arms)
    if (at(arm.audits, {"cell_count"}).is_object()) return &arm;
  return nullptr;
}

report::Chart cells_chart(const TrialView& view) {
  std::map<std::string, std::int64_t> n_cells;
  for (const trial::RowLine& row : view.rows) n_cells[row.row_id] = row.n_cells;
  report::PointSeries fitted{"train and val rows", report::kColourPale, "circle", {}},
      test{"test rows", report::kColourGood, "diamond", {}};
  const auto add = [&](const std::vector<trial::LabelLine>& lines, report::PointSeries& series) {
    for (const std::size_t row : report::thinned(lines.size(), kMostPoints))
      series.points.emplace_back(static_cast<double>(n_cells[lines[row].row_id]), lines[row].y);
  };
  add(view.labels, fitted);
  add(view.test_labels, test);
  std::vector<report::PointSeries> series{fitted};
  if (!test.points.empty()) series.push_back(test);
  const bool thinned = view.labels.size() > kMostPoints || view.test_labels.size() > kMostPoints;
  double low = HUGE_VAL, high = 0;
  for (const report::PointSeries& each : series)
    for (const auto& [n, y] : each.points) {
      low = std::fmin(low, n);
      high = std::fmax(high, n);
    }
  return report::scatter_chart(
      {.id = "cells",
       .caption = "Label against the number of cells of a row",
       .alt = "Scatter of the label y against the number of cells of each row.",
       .note = std::string(test.points.empty() ? "Test rows are left out: their labels are withheld. " : "") +
               (thinned ? "Rows are thinned evenly in table order." : ""),
       .x_title = "cells in the row",
       .y_title = "label y"},
      {.log_x = high > 5 * low}, series);
}

Grid correlation_grid(const Json& audit) {
  Grid grid{.id = "cell-count", .caption = "Rank correlations over all rows", .columns = {}, .rows = {}};
  grid.columns = {text_column("Spearman of"), number_column("Value")};
  const std::pair<const char*, const char*> names[] = {
      {"n_y", "number of cells and y"},
      {"n_y_given_norm", "the same, given the length of the expression change"},
      {"n_d15", "number of cells and the per-batch label D1.5"},
      {"n_d15_given_norm", "the same, given the length"},
      {"n_y_equal", "number of cells and y from equal numbers of cells"},
      {"n_y_free", "number of cells and y with its dependence on n divided out"},
      {"y_y_equal", "y and y from equal numbers"},
      {"y_y_free", "y and y with n divided out"},
      {"y_equal_y_free", "the two corrected labels"},
      {"y_d15", "y and D1.5"}};
  for (const auto& [key, label] : names)
    grid.rows.push_back({label, report::fixed_cell(real(at(audit, {"rho", key})), 3)});
  return grid;
}

Grid residual_grid(const TrialView& view, const ArmView& arm) {
  Grid grid{.id = numbered_arm("residuals", view, arm),
            .caption = "Number of cells and what is left to explain: " + arm.name,
            .columns = {},
            .rows = {}};
  grid.columns = {text_column("Residual of"), number_column("Spearman with n"), number_column("given the length")};
  for (const char* const name : trial::kCascadePredictors) {
    const Json& residual = at(arm.audits, {"cell_count", "residual", name});
    grid.rows.push_back({predictor_label(name), report::fixed_cell(real(at(residual, {"rho_n"})), 3),
                         report::fixed_cell(real(at(residual, {"rho_n_given_norm"})), 3)});
  }
  return grid;
}

constexpr const char *kMb = "Model - Baseline", *kMg = "Model - Gaussian", *kSm = "Shuffle - Model";

void add_tertiles(Document& page, const TrialView& view, const ArmView& arm) {
  const Json& groups = at(arm.audits, {"cell_count", "tertiles", "groups"});
  if (!groups.is_array() || groups.empty()) return;
  std::vector<report::Dot> dots;
  Grid grid{.id = numbered_arm("tertiles", view, arm),
            .caption = "Test rows by number of cells: " + arm.name,
            .columns = {},
            .rows = {}};
  grid.columns = {text_column("Rows with"), number_column("Rows"), number_column(kMb), number_column(kMg),
                  number_column(kSm)};
  for (const Json& group : groups) {
    const std::string name = word(at(group, {"name"})) + " cell number";
    for (const auto& [key, label] : {std::pair{"mb", kMb}, std::pair{"mg", kMg}, std::pair{"sm", kSm}})
      dots.push_back({name, label, real(at(group, {key})), label});
    const std::int64_t rows = whole(at(group, {"rows"}));
    grid.rows.push_back({name, rows < 0 ? Cell(kDash) : report::count_cell(rows), delta_cell(real(at(group, {"mb"}))),
                         delta_cell(real(at(group, {"mg"}))), delta_cell(real(at(group, {"sm"})))});
  }
  const Json& bounds = at(arm.audits, {"cell_count", "tertiles", "bounds"});
  if (bounds.is_array() && bounds.size() == 2)
    grid.note = fmt::format(
        "Low: below {} cells; high: {} or more. Differences in R\xC2\xB2 within each group, mean over seeds.",
        report::short_number(real(bounds[0])), report::short_number(real(bounds[1])));
  page.chart(report::dots_chart({.id = numbered_arm("tertiles", view, arm),
                                 .caption = "Differences within thirds of the cell number: " + arm.name,
                                 .alt = "Mean differences in test R\xC2\xB2 within rows of few, middle and many cells.",
                                 .x_title = "difference in test R\xC2\xB2"},
                                dots, {},
                                {{kMb, report::kColourGood, "circle"},
                                 {kMg, report::kColourBad, "square"},
                                 {kSm, report::kColourDark, "triangle-up"}}));
  page.table(grid);
}

void add_null_rows(Document& page, const Json& null_rows) {
  if (!null_rows.is_object()) {
    page.paragraph("Null rows (pseudo-perturbations made of control cells) were not computed.");
    return;
  }
  Grid grid{.id = "null-rows",
            .caption = "Null rows: the label of cells that nothing was done to",
            .columns = {},
            .rows = {}};
  grid.columns = {text_column("Drawn"), number_column("Mean y"), number_column("95 % quantile"),
                  number_column("Spearman with n")};
  for (const auto& [key, label] :
       {std::pair{"matched", "with the batch mix of a real row"}, std::pair{"ungrouped", "batches ignored"}})
    grid.rows.push_back({label, report::fixed_cell(real(at(null_rows, {key, "mean"})), 3),
                         report::fixed_cell(real(at(null_rows, {key, "q95"})), 3),
                         report::fixed_cell(real(at(null_rows, {key, "rho_n"})), 3)});
  grid.note = fmt::format(
      "{} pseudo-rows each. {} of {} real rows lie below the 95 % quantile of the matched ones; batch adds {} to the mean label.",
      whole(at(null_rows, {"count"})), report::percent_cell(real(at(null_rows, {"real_below_q95"}))).text,
      format_count(whole(at(null_rows, {"real_rows"}))), delta_text(real(at(null_rows, {"batch_difference"}))));
  page.table(grid);
}

void add_label_facts(Document& page, const ArmView& arm) {
  std::vector<std::pair<std::string, std::string>> facts;
  for (const char* const part : {"train", "val", "test"}) {
    const Json& clipped = at(arm.audits, {"clipped", part});
    if (clipped.is_object())
      facts.emplace_back(std::string("Labels that are 0, ") + part,
                         fmt::format("{} of {}", whole(at(clipped, {"clipped"})), whole(at(clipped, {"rows"}))));
  }
  const Json& half = at(arm.audits, {"split_half"});
  facts.emplace_back(
      "Split-half ceiling of the label",
      half.is_object()
          ? fmt::format("r = {:.3f} between halves of each row's cells, so at most 2r/(1+r) = {:.3f}; an upper "
                        "estimate, since both halves share the control cells",
                        real(at(half, {"r"})), real(at(half, {"ceiling"})))
          : "not computed");
  page.facts(facts, "label-facts");
}

void add_embedding_flags(Document& page, const TrialView& view) {
  Grid grid{.id = "embedding-flags", .caption = "The embeddings themselves", .columns = {}, .rows = {}};
  grid.columns = {text_column("Arm"),
                  text_column("Varies within rows", "Median over rows of within-row variance / total variance"),
                  text_column("Equal counts, equal embedding"), text_column("Embedded again from counts")};
  for (const ArmView& arm : view.arms) {
    const Json& flags = at(arm.audits, {"embedding"});
    if (!flags.is_object()) continue;
    const Json &within = at(flags, {"constant_within_row"}), &same = at(flags, {"same_counts_different_embedding"}),
               &again = at(flags, {"reextract"});
    const auto cell = [](const Json& flag, std::string text) {
      return Cell(std::move(text), flag == true ? report::Tone::kBad : report::Tone::kNeutral);
    };
    grid.rows.push_back(
        {arm.name, cell(at(within, {"flag"}), "ratio " + report::short_number(real(at(within, {"ratio"})))),
         cell(at(same, {"flag"}),
              fmt::format("{} of {} such cells differ", whole(at(same, {"differing"})), whole(at(same, {"cells"})))),
         again.is_object() ? cell(at(again, {"flag"}),
                                  fmt::format("{} cells, largest relative difference {}", whole(at(again, {"cells"})),
                                              report::short_number(real(at(again, {"largest"})))))
                           : Cell("not asked for")});
  }
  if (!grid.rows.empty()) page.table(grid);
}

Cell real_cell(const Json& json) { return delta_cell(real(json)); }

Grid overlap_grid(const TrialView& view, const ArmView& arm, const Json& strata) {
  Grid grid{.id = numbered_arm("overlap", view, arm),
            .caption = "Strata of the test rows: " + arm.name,
            .columns = {},
            .rows = {}};
  grid.columns = {text_column("Share of exposed cells"),
                  text_column("Decided by"),
                  number_column("Rows"),
                  number_column("Genes"),
                  number_column(kMb),
                  text_column("95 % by gene"),
                  number_column(kMg),
                  number_column(kSm),
                  text_column("Category of the stratum", "A sensitivity category on the clean stratum; no outcome")};
  for (const Json& stratum : strata) {
    const bool few = at(stratum, {"too_few"}) == true;
    const std::string category = word(at(stratum, {"sensitivity_category"}));
    grid.rows.push_back(
        {word(at(stratum, {"stratum"})), word(at(stratum, {"unit"})) == "row" ? "the row" : "the target gene",
         report::count_cell(std::max<std::int64_t>(whole(at(stratum, {"rows"})), 0)),
         report::count_cell(std::max<std::int64_t>(whole(at(stratum, {"genes"})), 0)), real_cell(at(stratum, {"mb"})),
         few ? Cell("too few") : interval_of(at(stratum, {"a1g", "comparisons", "BASELINE", "phase_mean"})),
         real_cell(at(stratum, {"mg"})), real_cell(at(stratum, {"sm"})),
         category.empty() ? Cell(kDash) : Cell(category_label(category))});
  }
  grid.note =
      "Clean: no exposed cell; low: below half; high: half or more; unknown: nothing known. No outcome, and nothing was trained again.";
  return grid;
}

report::Chart overlap_chart(const TrialView& view, const ArmView& arm, const Json& strata) {
  std::vector<report::Interval> intervals;
  for (const Json& stratum : strata)
    for (const auto& [key, group] : {std::pair{"a1", "by row"}, std::pair{"a1g", "by target gene"}}) {
      const Json& pair = at(stratum, {key, "comparisons", "BASELINE", "phase_mean"});
      if (word(at(stratum, {"unit"})) == "row" && pair.is_array() && pair.size() == 2)
        intervals.push_back(
            {word(at(stratum, {"stratum"})), group, real(at(stratum, {"mb"})), real(pair[0]), real(pair[1])});
    }
  return report::interval_chart(
      {.id = numbered_arm("overlap", view, arm),
       .caption = "Model - Baseline by overlap with pretraining: " + arm.name,
       .alt = "Mean Model - Baseline with 95 % intervals in strata of the share of exposed cells.",
       .x_title = "difference in test R\xC2\xB2"},
      intervals, {{"by row", report::kColourGood}, {"by target gene", report::kColourBad}},
      {.percent = false, .lines = {0}});
}

}  // namespace

void add_cell_number(Document& page, const TrialView& view) {
  page.section("Cell number and batch", "cell-number");
  page.paragraph(
      "Under a fixed shift the statistic behind the label grows with the number of cells, so y mixes effect and cell "
      "number; and the noise in a mean embedding shrinks with it, so a representation can encode cell number.");
  if (!view.labels.empty()) page.chart(cells_chart(view));
  const ArmView* const arm = audited(view);
  if (!arm) {
    page.paragraph(
        "Correlations, null rows and the ceiling of the label were not computed: scvet trial posthoc makes them after the test.");
    return;
  }
  page.begin_columns();
  page.table(correlation_grid(at(arm->audits, {"cell_count"})));
  for (const ArmView& each : view.arms)
    if (at(each.audits, {"cell_count", "residual"}).is_object()) page.table(residual_grid(view, each));
  page.end_columns();
  for (const ArmView& each : view.arms) add_tertiles(page, view, each);
  add_null_rows(page, at(arm->audits, {"null_rows"}));
  add_label_facts(page, *arm);
  add_embedding_flags(page, view);
}

void add_overlap(Document& page, const TrialView& view) {
  page.section("Overlap with pretraining", "overlap");
  bool any = false;
  for (const ArmView& arm : view.arms) {
    const Json& overlap = at(arm.audits, {"overlap"});
    if (!overlap.is_object()) continue;
    any = true;
    const Json& nontargeting = at(overlap, {"nontargeting"});
    page.paragraph(fmt::format("{}: per-cell flags from {}. Of the control cells {} are exposed ({} unknown).{}",
                               arm.name, word(at(overlap, {"source"})),
                               report::percent_cell(real(at(nontargeting, {"share"}))).text,
                               std::max<std::int64_t>(whole(at(nontargeting, {"unknown"})), 0),
                               at(overlap, {"nontargeting_touches_all"}) == true
                                   ? " At 1 % or more of them exposed, every representation of a row is touched."
                                   : ""));
    const Json& strata = at(overlap, {"strata"});
    if (!strata.is_array()) continue;
    const bool any_interval = std::any_of(strata.begin(), strata.end(), [](const Json& stratum) {
      return word(at(stratum, {"unit"})) == "row" && at(stratum, {"a1"}).is_object();
    });
    if (any_interval) page.chart(overlap_chart(view, arm, strata));
    page.table(overlap_grid(view, arm, strata));
  }
  if (!any)
    page.paragraph(
        "Not audited. Whether the model's pretraining held cells of this screen is unknown here; scvet audit finds it out "
        "per cell, and scvet trial posthoc --overlap cells.csv then divides the test rows by it.");
}

}  // namespace scvet::jobs::trial_page
