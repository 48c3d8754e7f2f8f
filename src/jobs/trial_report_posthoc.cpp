// How close the decision was, the calibration of predictions, and what is reported only.
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

std::string short_of(const Json& category) {
  const std::string name = word(category);
  for (const trial::Category each : {trial::Category::kInvalid, trial::Category::kStrong, trial::Category::kCapacity,
                                     trial::Category::kPartial, trial::Category::kNo, trial::Category::kCustom})
    if (name == trial::category_name(each)) return trial::short_name(each);
  return name.empty() ? kDash : name;
}

const Json& entry(const Json& list, std::size_t number) {
  static const Json kNull;
  return list.is_array() && number < list.size() ? list[number] : kNull;
}

Cell whole_cell(const Json& json) {
  const std::int64_t value = whole(json);
  return value < 0 ? Cell(kDash) : report::count_cell(value);
}

Grid margin_grid(const TrialView& view, const ArmView& arm) {
  Grid grid{.id = numbered_arm("margins", view, arm), .caption = "Margins", .columns = {}, .rows = {}};
  grid.columns = {text_column("Criterion"), number_column("Margin", "Value minus bound: how far from the other side")};
  const std::pair<const char*, const char*> names[] = {
      {"invalid", "|mean Shuffle - Model|"},           {"mb_mean", "mean Model - Baseline"},
      {"mb_4th", "4th-best seed of Model - Baseline"}, {"mg_mean", "mean Model - Gaussian"},
      {"mg_4th", "4th-best seed of Model - Gaussian"}, {"gb_mean", "mean Gaussian - Baseline"}};
  for (const auto& [key, label] : names)
    grid.rows.push_back({label, delta_cell(real(at(arm.posthoc, {"a2", "margin", key})))});
  return grid;
}

Grid threshold_grid(const TrialView& view, const ArmView& arm) {
  Grid grid{.id = numbered_arm("grid", view, arm),
            .caption = "If one bound had been another (hypothetical)",
            .columns = {},
            .rows = {}};
  grid.columns = {number_column("t"),
                  number_column("Seeds with MB >= t"),
                  number_column("MG >= t"),
                  number_column("GB >= t"),
                  text_column("Category if t bounded MB"),
                  text_column("if MG"),
                  text_column("if GB"),
                  text_column("if |SM|")};
  const Json& a2 = at(arm.posthoc, {"a2"});
  const Json& values = at(a2, {"grid"});
  for (std::size_t number = 0; values.is_array() && number < values.size(); ++number) {
    const double t = real(values[number]);
    grid.rows.push_back({Cell(fmt::format("{:.3f}", t), t), whole_cell(entry(at(a2, {"seeds_at_least", "mb"}), number)),
                         whole_cell(entry(at(a2, {"seeds_at_least", "mg"}), number)),
                         whole_cell(entry(at(a2, {"seeds_at_least", "gb"}), number)),
                         short_of(entry(at(a2, {"hypothetical", "mb"}), number)),
                         short_of(entry(at(a2, {"hypothetical", "mg"}), number)),
                         short_of(entry(at(a2, {"hypothetical", "gb"}), number)),
                         short_of(entry(at(a2, {"hypothetical", "invalid"}), number))});
  }
  grid.note =
      "Mean and seed bound are changed together, everything else stays. With 3, 4 or 5 seeds asked of Model - Baseline: ";
  for (const char* const seeds : {"mb_seeds", "mg_seeds"}) {
    if (std::string_view(seeds) == "mg_seeds") grid.note += "; of Model - Gaussian: ";
    std::vector<std::string> words;
    for (const char* const n : {"3", "4", "5"}) words.push_back(short_of(at(a2, {"hypothetical", seeds, n})));
    grid.note += join(words, ", ");
  }
  grid.note += ". The bounds in force were fixed before the test; nothing here is an outcome.";
  return grid;
}

std::string criterion_bound(const trial::Criterion& criterion) {
  return criterion.key.ends_with("_seeds") ? format_number(criterion.bound) : bound_text(criterion.bound);
}

void add_probabilities(Document& page, const TrialView& view, const ArmView& arm) {
  const Json& probability = at(arm.posthoc, {"probability"});
  if (!probability.is_object()) return;
  Grid grid{.id = numbered_arm("probability", view, arm),
            .caption = "Over resampled target genes",
            .columns = {},
            .rows = {}};
  grid.columns = {text_column("Criterion or category"), number_column("Share of replicates")};
  for (const trial::Criterion& criterion : arm.outcome.criteria)
    grid.rows.push_back({criterion.label + std::string(" ") + criterion.op + " " + criterion_bound(criterion),
                         report::percent_cell(real(at(probability, {"criteria", criterion.key.c_str()})))});
  for (const trial::Category category : trial::kCategories)
    grid.rows.push_back({category_label(trial::category_name(category)),
                         report::percent_cell(real(at(probability, {"categories", trial::category_name(category)})))});
  grid.note = "How often each criterion holds when whole target genes are drawn anew from the test (A1g replicates).";
  page.table(grid);
}

void add_baseline_gaps(Document& page, const TrialView& view, const ArmView& arm) {
  const Json& gaps = at(arm.posthoc, {"a4"});
  if (!gaps.is_object()) return;
  Grid grid{
      .id = numbered_arm("baseline", view, arm), .caption = "Is the baseline a strong one?", .columns = {}, .rows = {}};
  grid.columns = {text_column("Difference"), number_column("Mean"), number_column("Seeds > 0")};
  for (const char* const over : {"MAG_ONLY", "GAUSSIAN", "SHUFFLE"})
    grid.rows.push_back({"Baseline - " + predictor_label(over), delta_cell(real(at(gaps, {over, "mean"}))),
                         whole_cell(at(gaps, {over, "positive"}))});
  page.table(grid);
}

// Row, label and predictions of the test part, in table order.
struct TestRows {
  std::vector<double> y, model, baseline;
};
TestRows test_rows(const TrialView& view, const ArmView& arm) {
  std::map<std::string, double> y, baseline;
  for (const trial::LabelLine& line : view.test_labels) y[line.row_id] = line.y;
  for (const trial::FixedLine& line : view.fixed) baseline[line.row_id] = line.baseline;
  TestRows rows;
  for (std::size_t row = 0; row < arm.predictions->row_id.size(); ++row) {
    const auto label = y.find(arm.predictions->row_id[row]);
    if (arm.predictions->split[row] != "test" || label == y.end()) continue;
    double sum = 0;
    for (const std::vector<double>& seed : arm.predictions->model) sum += seed[row];
    rows.y.push_back(label->second);
    rows.model.push_back(sum / static_cast<double>(arm.predictions->model.size()));
    const auto fixed = baseline.find(label->first);
    rows.baseline.push_back(fixed == baseline.end() ? std::numeric_limits<double>::quiet_NaN() : fixed->second);
  }
  return rows;
}

}  // namespace

void add_margins(Document& page, const TrialView& view) {
  page.section("How close was it?", "margins");
  bool any = false;
  for (const ArmView& arm : view.arms) {
    if (!at(arm.posthoc, {"a2"}).is_object()) continue;
    any = true;
    if (view.arms.size() > 1) page.subsection(arm.name, numbered_arm("margins-of", view, arm));
    page.begin_columns();
    page.table(margin_grid(view, arm));
    add_probabilities(page, view, arm);
    add_baseline_gaps(page, view, arm);
    page.end_columns();
    page.begin_details("Other bounds, other seed counts", numbered_arm("grid-of", view, arm), true);
    page.table(threshold_grid(view, arm));
    page.end_details();
  }
  if (!any)
    page.paragraph("Not computed: scvet trial posthoc makes margins and hypothetical categories after the test.");
}

void add_calibration(Document& page, const TrialView& view) {
  page.section("Calibration", "calibration");
  bool any = false;
  for (const ArmView& arm : view.arms) {
    if (!arm.done() || !arm.predictions || view.test_labels.empty()) continue;
    any = true;
    const TestRows rows = test_rows(view, arm);
    report::PointSeries model{"Model, mean of the seeds", report::kColourGood, "circle", {}};
    report::PointSeries baseline{"Baseline", report::kColourWarm, "triangle-up", {}};
    constexpr std::size_t kMost = 2000;
    for (const std::size_t row : report::thinned(rows.y.size(), kMost)) {
      baseline.points.emplace_back(rows.baseline[row], rows.y[row]);
      model.points.emplace_back(rows.model[row], rows.y[row]);
    }
    page.chart(report::scatter_chart(
        {.id = numbered_arm("calibration", view, arm),
         .caption = "Label against prediction on the test rows: " + arm.name,
         .alt = fmt::format(
             "Scatter of the label against the predictions of {} test rows of arm {}; points on the diagonal are "
             "predicted exactly. Mean R\xC2\xB2: model {}, baseline {}.",
             rows.y.size(), arm.name, r2_text(mean_of(scores_of(arm, "MODEL"), &trial::Scores::r2)),
             r2_text(mean_of(scores_of(arm, "BASELINE"), &trial::Scores::r2))),
         .note = rows.y.size() > kMost
                     ? fmt::format("{} of {} rows are drawn, evenly spaced in table order. Dashed: equality.", kMost,
                                   format_count(static_cast<std::int64_t>(rows.y.size())))
                     : "Dashed: equality.",
         .x_title = "predicted",
         .y_title = "label y"},
        {.same = true}, {baseline, model}));
  }
  if (!any) page.paragraph("Drawn after the test; before it no label of a test row is shown anywhere.");
}

void add_reported_only(Document& page, const TrialView& view) {
  bool any = false;
  for (const ArmView& arm : view.arms) {
    const Json& reported = at(arm.posthoc, {"reported_only"});
    const bool scores = reported.is_array() && !reported.empty();
    const Json& positive = at(arm.posthoc, {"positive_rows"});
    if (!scores && !positive.is_object()) continue;
    if (!any) {
      page.section("Reported only, never in the cascade", "reported-only");
      any = true;
    }
    if (view.arms.size() > 1) page.subsection(arm.name, numbered_arm("reported-of", view, arm));
    if (scores) {
      Grid grid{.id = numbered_arm("reported", view, arm),
                .caption = "Further predictors on the test rows",
                .columns = {},
                .rows = {}};
      grid.columns = {text_column("Predictor"),   text_column("What it holds fixed"),
                      number_column("R\xC2\xB2"), number_column("SD"),
                      number_column("Spearman"),  number_column("Mean absolute error")};
      for (const Json& one : reported)
        grid.rows.push_back({word(at(one, {"label"})).empty() ? word(at(one, {"name"})) : word(at(one, {"label"})),
                             word(at(one, {"matched"})), r2_cell(real(at(one, {"r2", "mean"}))),
                             r2_cell(real(at(one, {"r2", "std"}))), r2_cell(real(at(one, {"spearman", "mean"}))),
                             r2_cell(real(at(one, {"mae", "mean"})))});
      page.table(grid);
    } else {
      page.paragraph(
          "Further predictors (PCA, random projection, ridge on the representation, ...) were not computed.");
    }
    if (const Json& gain = at(arm.posthoc, {"increment"}); gain.is_object())
      page.paragraph(fmt::format(
          "Ridge on expression and representation together reaches R\xC2\xB2 {}, on expression alone {}: an "
          "increment of {}.",
          r2_text(real(at(gain, {"ridge_both"}))), r2_text(real(at(gain, {"ridge_x_unit"}))),
          delta_text(real(at(gain, {"difference"})))));
    if (positive.is_object() && whole(at(positive, {"rows"})) >= 0) {
      std::vector<std::string> words;
      for (const char* const name : trial::kCascadePredictors)
        words.push_back(predictor_label(name) + " " + r2_text(real(at(positive, {"r2", name}))));
      page.paragraph(fmt::format("On the {} with a label above zero, mean R\xC2\xB2: {}.",
                                 counted(whole(at(positive, {"rows"})), "test row", "test rows"), join(words, ", ")));
    }
    if (const Json& luck = at(arm.posthoc, {"regroupings"}); luck.is_object())
      page.paragraph(fmt::format(
          "Luck of the split: over {} regroupings of the train and val genes (test untouched) Model - Baseline "
          "averages {} with standard deviation {}, from {} to {}.",
          whole(at(luck, {"count"})), delta_text(real(at(luck, {"mean"}))), r2_text(real(at(luck, {"std"}))),
          delta_text(real(at(luck, {"low"}))), delta_text(real(at(luck, {"high"})))));
  }
}

}  // namespace scvet::jobs::trial_page
