// Criteria with their bounds, and what each seed gave.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "scvet/base/text.h"
#include "scvet/numeric/moments.h"
#include "trial_report_parts.h"

namespace scvet::jobs::trial_page {

using report::Cell;
using report::Document;
using report::Grid;

namespace {

bool counts_seeds(const trial::Criterion& criterion) {
  return criterion.key == "mb_seeds" || criterion.key == "mg_seeds";
}

// To meet the first or the third step's criterion is bad news.
Cell passed_cell(const trial::Criterion& criterion) {
  if (!criterion.passed) return Cell("no");
  const bool bad = criterion.key == "invalid" || criterion.key == "gb_mean";
  return Cell("yes", bad ? report::Tone::kBad : report::Tone::kGood);
}

Grid criteria_grid(const TrialView& view, const ArmView& arm) {
  Grid grid{.id = numbered_arm("criteria", view, arm), .caption = "", .columns = {}, .rows = {}};
  grid.columns = {text_column("Criterion"), text_column("Belongs to", "The step of the cascade that asks for it"),
                  number_column("Value"),   text_column("Operator"),
                  number_column("Bound"),   number_column("Margin", "Value minus bound, unrounded"),
                  text_column("Passed")};
  for (const trial::Criterion& criterion : arm.outcome.criteria) {
    const bool seeds = counts_seeds(criterion);
    grid.rows.push_back(
        {criterion.label, category_label(criterion.category),
         seeds ? report::count_cell(std::llround(criterion.value)) : delta_cell(criterion.value), criterion.op,
         seeds ? report::count_cell(std::llround(criterion.bound)) : Cell(bound_text(criterion.bound), criterion.bound),
         seeds ? report::count_cell(std::llround(criterion.value - criterion.bound))
               : delta_cell(criterion.value - criterion.bound),
         passed_cell(criterion)});
  }
  grid.note =
      "Exact comparisons of unrounded numbers. The first step whose criteria all hold gives the category: Invalid, Strong, "
      "Capacity only, Partial (either difference above zero), else No.";
  return grid;
}

constexpr const char* kReached = "seed, bound reached";
constexpr const char* kMissed = "seed, bound not reached";
constexpr const char* kMean = "mean of the seeds";

struct Comparison {
  const char* name;
  const std::vector<double>& values;
  double mean, bound;
  bool below;  // reached at or below -bound
};

report::Chart threshold_chart(const TrialView& view, const ArmView& arm) {
  const trial::Deltas& deltas = arm.outcome.deltas;
  const trial::CascadeRule& rule = view.protocol.cascade;
  const Comparison comparisons[] = {{"Model - Baseline", deltas.mb, deltas.mean_mb, rule.mb_seed, false},
                                    {"Model - Gaussian", deltas.mg, deltas.mean_mg, rule.mg_seed, false},
                                    {"Gaussian - Baseline", deltas.gb, deltas.mean_gb, rule.gb_mean, false},
                                    {"Shuffle - Model", deltas.sm, deltas.mean_sm, rule.invalid_abs_sm, true}};
  std::vector<report::Dot> dots;
  std::vector<report::Bound> bounds;
  for (const Comparison& one : comparisons) {
    for (std::size_t seed = 0; seed < one.values.size(); ++seed) {
      const bool reached = one.below ? one.values[seed] <= -one.bound : one.values[seed] >= one.bound;
      dots.push_back({one.name, "seed " + std::to_string(view.protocol.seeds[seed]), one.values[seed],
                      reached ? kReached : kMissed});
    }
    dots.push_back({one.name, "mean", one.mean, kMean});
    bounds.push_back({one.name, one.below ? -one.bound : one.bound});
  }
  bounds.push_back({"Shuffle - Model", rule.invalid_abs_sm});
  if (rule.mb_mean != rule.mb_seed) bounds.push_back({"Model - Baseline", rule.mb_mean});
  if (rule.mg_mean != rule.mg_seed) bounds.push_back({"Model - Gaussian", rule.mg_mean});
  return report::dots_chart(
      {.id = numbered_arm("thresholds", view, arm),
       .caption = "Differences in test R\xC2\xB2 by seed, against their bounds",
       .alt = fmt::format(
           "Per-seed differences in test R\xC2\xB2 of arm {}: means Model - Baseline {}, Model - Gaussian {}, Gaussian "
           "- Baseline {}, Shuffle - Model {}; heavy marks are the bounds.",
           arm.name, delta_text(deltas.mean_mb), delta_text(deltas.mean_mg), delta_text(deltas.mean_gb),
           delta_text(deltas.mean_sm)),
       .note = "Heavy marks: bounds; between the two marks of Shuffle - Model the trial is invalid. Dashed: zero.",
       .x_title = "difference in test R\xC2\xB2"},
      dots, bounds,
      {{kReached, report::kColourGood, "circle"},
       {kMissed, report::kColourBad, "circle"},
       {kMean, report::kColourDark, "diamond"}});
}

Grid seed_grid(const TrialView& view, const ArmView& arm, const char* measure, const char* caption,
               double trial::Scores::*value) {
  Grid grid{
      .id = numbered_arm(measure, view, arm), .caption = caption, .columns = {text_column("Predictor")}, .rows = {}};
  for (const std::uint32_t seed : view.protocol.seeds) grid.columns.push_back(number_column(std::to_string(seed)));
  grid.columns.push_back(number_column("Mean"));
  grid.columns.push_back(number_column("SD", "Standard deviation over seeds, divisor n - 1"));
  for (const trial::PredictorScores& scores : arm.scores) {
    std::vector<Cell> row{predictor_label(scores.name)};
    std::vector<double> values;
    for (const trial::Scores& seed : scores.seeds) {
      values.push_back(seed.*value);
      row.push_back(r2_cell(values.back()));
    }
    const trial::Summary summary = trial::summarise(values);
    row.push_back(r2_cell(summary.mean));
    row.push_back(r2_cell(summary.std));
    grid.rows.push_back(std::move(row));
  }
  return grid;
}

Grid delta_grid(const TrialView& view, const ArmView& arm) {
  Grid grid{.id = numbered_arm("deltas", view, arm),
            .caption = "Differences in test R\xC2\xB2",
            .columns = {text_column("Difference")},
            .rows = {}};
  for (const std::uint32_t seed : view.protocol.seeds) grid.columns.push_back(number_column(std::to_string(seed)));
  grid.columns.push_back(number_column("Mean"));
  grid.columns.push_back(number_column("Seeds > 0"));
  const std::pair<const char*, const char*> pairs[] = {{"MODEL", "BASELINE"},
                                                       {"MODEL", "GAUSSIAN"},
                                                       {"GAUSSIAN", "BASELINE"},
                                                       {"SHUFFLE", "MODEL"},
                                                       {"MODEL", "MAG_ONLY"}};
  for (const auto& [a, b] : pairs) {
    std::vector<Cell> row{predictor_label(a) + " - " + predictor_label(b)};
    const std::vector<double> values = differences(arm, a, b);
    for (const double value : values) row.push_back(delta_cell(value));
    row.push_back(delta_cell(numeric::mean(values)));
    row.push_back(
        report::count_cell(std::count_if(values.begin(), values.end(), [](double value) { return value > 0; })));
    grid.rows.push_back(std::move(row));
  }
  grid.note = "Model - Magnitude only is reported and takes no part in the cascade.";
  return grid;
}

}  // namespace

void add_criteria(Document& page, const TrialView& view) {
  page.section("Criteria", "criteria");
  bool any = false;
  for (const ArmView* arm : arms_of(view, false)) {
    if (!arm->done()) continue;
    any = true;
    page.subsection(arm->name, numbered_arm("criteria-of", view, *arm));
    page.chart(threshold_chart(view, *arm));
    page.table(criteria_grid(view, *arm));
  }
  if (!any) page.paragraph("No primary arm has been tested; the criteria have no values yet.");
}

void add_seeds(Document& page, const TrialView& view) {
  page.section("Seed by seed", "seeds");
  bool any = false;
  for (const ArmView* arm : arms_of(view, false)) {
    if (!arm->done()) continue;
    any = true;
    page.subsection(arm->name, numbered_arm("seeds-of", view, *arm));
    page.table(seed_grid(view, *arm, "r2", "R\xC2\xB2 on the test rows", &trial::Scores::r2));
    page.table(delta_grid(view, *arm));
    page.begin_details("Spearman correlation and mean absolute error", numbered_arm("other-measures", view, *arm),
                       true);
    page.table(seed_grid(view, *arm, "spearman", "Spearman correlation on the test rows", &trial::Scores::spearman));
    page.table(seed_grid(view, *arm, "mae", "Mean absolute error on the test rows", &trial::Scores::mae));
    page.end_details();
  }
  if (!any) page.paragraph("No primary arm has been tested.");
}

void add_sensitivity_arms(Document& page, const TrialView& view) {
  const auto apart = arms_of(view, true);
  if (apart.empty()) return;
  page.section("Sensitivity arms", "sensitivity-arms");
  page.paragraph(
      "Their role was stated before their test and cannot change. They show how much a result hangs on choices; "
      "none bears a category, and none replaces a primary arm.");
  for (const ArmView* arm : apart) {
    page.subsection(arm->name, numbered_arm("arm", view, *arm));
    page.verdict(verdict_tone(*arm), headline(view, *arm), verdict_sentence(view, *arm), {},
                 numbered_arm("verdict", view, *arm));
    if (!arm->done()) continue;
    page.chart(threshold_chart(view, *arm));
    page.table(criteria_grid(view, *arm));
    page.begin_details("Seed by seed", numbered_arm("seeds-of", view, *arm), true);
    page.table(seed_grid(view, *arm, "r2", "R\xC2\xB2 on the test rows", &trial::Scores::r2));
    page.table(delta_grid(view, *arm));
    page.end_details();
  }
}

std::string criteria_tsv(const TrialView& view) {
  std::string text = "lock\tprotocol\tarm\tmodel\trole\tcategory\tcriterion\tstep\tvalue\toperator\tbound\tpassed\n";
  for (const ArmView& arm : view.arms) {
    if (!arm.done()) continue;
    const std::string category =
        arm.sensitivity() || !arm.outcome.category ? "" : trial::category_name(*arm.outcome.category);
    for (const trial::Criterion& criterion : arm.outcome.criteria)
      text += join(std::vector<std::string>{view.lock_id, view.manifest.protocol_sha256, arm.name, arm.model(),
                                            arm.history.role, category, criterion.key, criterion.category,
                                            trial::real_text(criterion.value), criterion.op,
                                            trial::real_text(criterion.bound), criterion.passed ? "1" : "0"},
                   "\t") +
              "\n";
  }
  return text;
}

}  // namespace scvet::jobs::trial_page
