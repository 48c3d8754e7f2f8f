// Arms side by side, intervals, and whether other measures rank as R^2 does.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "scvet/base/text.h"
#include "trial_report_parts.h"

namespace scvet::jobs::trial_page {

using report::Cell;
using report::Document;
using report::Grid;

namespace {

const Json& interval(const ArmView& arm, const char* analysis, const char* against) {
  return at(arm.posthoc, {analysis, "comparisons", against, "phase_mean"});
}

Grid arms_grid(const TrialView& view) {
  Grid grid{.id = "arms", .caption = "", .columns = {}, .rows = {}};
  grid.columns = {text_column("Arm"),
                  text_column("Model"),
                  text_column("State"),
                  number_column("R\xC2\xB2 Model", "Mean over seeds, test rows"),
                  number_column("Model - Baseline"),
                  text_column("95 % by row"),
                  text_column("95 % by gene"),
                  number_column("Model - Gaussian"),
                  number_column("Shuffle - Model"),
                  text_column("Category")};
  for (const ArmView* arm : arms_of(view, false)) {
    std::vector<Cell> row{arm->name, arm->model(), trial::state_name(arm->state)};
    if (arm->done()) {
      const trial::Deltas& deltas = arm->outcome.deltas;
      row.push_back(r2_cell(mean_of(scores_of(*arm, "MODEL"), &trial::Scores::r2)));
      row.push_back(delta_cell(deltas.mean_mb));
      row.push_back(interval_of(interval(*arm, "a1", "BASELINE")));
      row.push_back(interval_of(interval(*arm, "a1g", "BASELINE")));
      row.push_back(delta_cell(deltas.mean_mg));
      row.push_back(delta_cell(deltas.mean_sm));
      row.emplace_back(arm->outcome.category ? category_label(trial::category_name(*arm->outcome.category)) : "none");
    } else {
      while (row.size() < grid.columns.size()) row.emplace_back("\xE2\x80\x93");
    }
    grid.rows.push_back(std::move(row));
  }
  return grid;
}

// The shared predictors of a lock: the same for every arm, so those of the first tested one.
const ArmView* first_done(const TrialView& view) {
  for (const ArmView& arm : view.arms)
    if (arm.done()) return &arm;
  return nullptr;
}

constexpr const char *kByRow = "by row", *kByGene = "by target gene";

report::Chart interval_figure(const TrialView& view, const ArmView& arm) {
  std::vector<report::Interval> intervals;
  for (const char* const against : {"BASELINE", "GAUSSIAN", "SHUFFLE", "MAG_ONLY"})
    for (const auto& [analysis, group] : {std::pair{"a1", kByRow}, std::pair{"a1g", kByGene}}) {
      const Json& pair = interval(arm, analysis, against);
      if (!pair.is_array() || pair.size() != 2) continue;
      intervals.push_back({"Model - " + predictor_label(against), group,
                           real(at(arm.posthoc, {analysis, "comparisons", against, "mean"})), real(pair[0]),
                           real(pair[1])});
    }
  const Json& baseline = interval(arm, "a1g", "BASELINE");
  return report::interval_chart({.id = numbered_arm("intervals", view, arm),
                                 .caption = "Differences in mean test R\xC2\xB2 with 95 % bootstrap intervals",
                                 .alt = "Bootstrap intervals of arm " + arm.name +
                                        "; Model - Baseline by target gene: " + interval_text(baseline) + ".",
                                 .note = "Percentile intervals of the phase mean. They do not enter the cascade.",
                                 .x_title = "difference in test R\xC2\xB2"},
                                intervals, {{kByRow, report::kColourGood}, {kByGene, report::kColourBad}},
                                {.percent = false, .lines = {0}});
}

Grid interval_grid(const TrialView& view, const ArmView& arm) {
  Grid grid{.id = numbered_arm("intervals", view, arm), .caption = "", .columns = {}, .rows = {}};
  grid.columns = {text_column("Difference"), number_column("Mean"), text_column("95 % by row (A1)"),
                  text_column("95 % by target gene (A1g)"),
                  text_column("Widest seed by row", "The seed with the widest interval")};
  for (const char* const against : {"BASELINE", "GAUSSIAN", "SHUFFLE", "MAG_ONLY"}) {
    const Json& seeds = at(arm.posthoc, {"a1", "comparisons", against, "per_seed"});
    double width = -1, low = NAN, high = NAN;
    if (seeds.is_array())
      for (const Json& pair : seeds)
        if (pair.is_array() && pair.size() == 2 && real(pair[1]) - real(pair[0]) > width) {
          low = real(pair[0]);
          high = real(pair[1]);
          width = high - low;
        }
    grid.rows.push_back({"Model - " + predictor_label(against),
                         delta_cell(real(at(arm.posthoc, {"a1", "comparisons", against, "mean"}))),
                         interval_of(interval(arm, "a1", against)), interval_of(interval(arm, "a1g", against)),
                         Cell(interval_text(low, high))});
  }
  grid.note = fmt::format(
      "{} replicates; by row {} rows, by target gene {} genes. A perturbation is one row here, so the row bootstrap is a paired "
      "row bootstrap; rows of one gene are not independent, which is why the interval by gene stands beside it.",
      format_count(whole(at(arm.posthoc, {"a1", "replicates"}))), whole(at(arm.posthoc, {"a1", "units"})),
      whole(at(arm.posthoc, {"a1g", "units"})));
  const std::int64_t dropped = whole(at(arm.posthoc, {"a1", "dropped"})) + whole(at(arm.posthoc, {"a1g", "dropped"}));
  if (dropped > 0) grid.note += fmt::format(" {} replicates without any spread of the label were dropped.", dropped);
  return grid;
}

struct Ranked {
  std::string name;
  double r2, spearman, mae;
};

std::vector<std::size_t> order_by(const std::vector<Ranked>& entries, double Ranked::*value, bool larger_first) {
  std::vector<std::size_t> order(entries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const double left = entries[a].*value, right = entries[b].*value;
    if (std::isnan(left) || std::isnan(right)) return !std::isnan(left) && std::isnan(right);
    return larger_first ? left > right : left < right;
  });
  return order;
}

Cell rank_cell(const std::vector<std::size_t>& order, std::size_t entry) {
  return report::count_cell(std::find(order.begin(), order.end(), entry) - order.begin() + 1);
}

}  // namespace

void add_arms(Document& page, const TrialView& view) {
  page.section("Arms side by side", "arms");
  const ArmView* const first = first_done(view);
  if (arms_of(view, false).empty()) {
    page.paragraph("No primary arm is registered.");
    return;
  }
  page.table(arms_grid(view));
  if (first)
    page.paragraph(fmt::format(
        "Descriptive only: one shared category does not rank models. Every arm is held against the same "
        "stored predictors: magnitude only with R\xC2\xB2 {}, baseline with R\xC2\xB2 {} (mean over seeds, test rows).",
        r2_text(mean_of(scores_of(*first, "MAG_ONLY"), &trial::Scores::r2)),
        r2_text(mean_of(scores_of(*first, "BASELINE"), &trial::Scores::r2))));
}

void add_intervals(Document& page, const TrialView& view) {
  page.section("Intervals", "intervals");
  bool any = false;
  for (const ArmView& arm : view.arms) {
    if (!at(arm.posthoc, {"a1"}).is_object()) continue;
    any = true;
    if (view.arms.size() > 1) page.subsection(arm.name, numbered_arm("intervals-of", view, arm));
    page.chart(interval_figure(view, arm));
    page.table(interval_grid(view, arm));
  }
  if (!any) page.paragraph("Not computed: scvet trial posthoc makes them from the stored predictions, after the test.");
}

void add_ranking(Document& page, const TrialView& view) {
  page.section("Do other measures rank alike?", "ranking");
  const ArmView* const first = first_done(view);
  if (!first) {
    page.paragraph("No arm has been tested.");
    return;
  }
  std::vector<Ranked> entries;
  const auto add = [&](const ArmView& arm, const char* name, const std::string& shown) {
    const trial::PredictorScores& scores = scores_of(arm, name);
    entries.push_back({shown, mean_of(scores, &trial::Scores::r2), mean_of(scores, &trial::Scores::spearman),
                       mean_of(scores, &trial::Scores::mae)});
  };
  add(*first, "MAG_ONLY", "Magnitude only");
  add(*first, "BASELINE", "Baseline");
  std::size_t tested = 0;
  for (const ArmView& arm : view.arms) tested += arm.done();
  for (const ArmView& arm : view.arms) {
    if (!arm.done()) continue;
    for (const char* const name : {"MODEL", "GAUSSIAN", "SHUFFLE"})
      add(arm, name, predictor_label(name) + (tested > 1 ? " of " + arm.name : ""));
  }
  const auto by_r2 = order_by(entries, &Ranked::r2, true), by_spearman = order_by(entries, &Ranked::spearman, true),
             by_mae = order_by(entries, &Ranked::mae, false);
  Grid grid{.id = "ranking", .caption = "", .columns = {}, .rows = {}};
  grid.columns = {text_column("Predictor"),  number_column("R\xC2\xB2"), number_column("rank"),
                  number_column("Spearman"), number_column("rank"),      number_column("Mean absolute error"),
                  number_column("rank")};
  for (const std::size_t entry : by_r2)
    grid.rows.push_back({entries[entry].name, r2_cell(entries[entry].r2), rank_cell(by_r2, entry),
                         r2_cell(entries[entry].spearman), rank_cell(by_spearman, entry), r2_cell(entries[entry].mae),
                         rank_cell(by_mae, entry)});
  page.table(grid);
  page.paragraph(std::string("Spearman correlation ") + (by_spearman == by_r2 ? "ranks" : "does not rank") +
                 " the predictors as R\xC2\xB2 does, and mean absolute error " +
                 (by_mae == by_r2 ? "does" : "does not") + " (means over seeds, test rows). Only R\xC2\xB2 decides.");
}

}  // namespace scvet::jobs::trial_page
