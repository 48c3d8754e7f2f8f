#include "analysis_json.h"

namespace scvet::trial {
namespace {

Json categories_json(std::span<const Category> categories) {
  Json list = Json::array();
  for (const Category category : categories) list.push_back(category_name(category));
  return list;
}

Json seed_counts_json(const std::array<Category, 3>& categories) {
  return {
      {"3", category_name(categories[0])}, {"4", category_name(categories[1])}, {"5", category_name(categories[2])}};
}

Json a2_json(const ThresholdTable& table) {
  return {{"grid", reals_json(kThresholdGrid)},
          {"seeds_at_least", {{"mb", table.mb_at_least}, {"mg", table.mg_at_least}, {"gb", table.gb_at_least}}},
          {"margin",
           {{"invalid", real_json(table.margin_invalid)},
            {"mb_mean", real_json(table.margin_mb_mean)},
            {"mb_4th", real_json(table.margin_mb_4th)},
            {"mg_mean", real_json(table.margin_mg_mean)},
            {"mg_4th", real_json(table.margin_mg_4th)},
            {"gb_mean", real_json(table.margin_gb_mean)}}},
          {"hypothetical",
           {{"mb", categories_json(table.by_mb)},
            {"mg", categories_json(table.by_mg)},
            {"gb", categories_json(table.by_gb)},
            {"invalid", categories_json(table.by_invalid)},
            {"mb_seeds", seed_counts_json(table.by_mb_seeds)},
            {"mg_seeds", seed_counts_json(table.by_mg_seeds)}}}};
}

Json a3_json(const Outcome& outcome) {
  Json criteria = Json::array();
  for (const Criterion& each : outcome.criteria)
    criteria.push_back({{"key", each.key},
                        {"label", each.label},
                        {"step", each.category},
                        {"value", real_json(each.value)},
                        {"bound", real_json(each.bound)},
                        {"op", each.op},
                        {"passed", each.passed}});
  return {{"category", outcome.category ? Json(category_name(*outcome.category)) : Json(nullptr)},
          {"criteria", criteria}};
}

Json a4_json(const std::vector<BaselineGap>& gaps) {
  Json found = Json::object();
  for (const BaselineGap& gap : gaps)
    found[gap.over] = {{"mean", real_json(gap.mean)}, {"positive", gap.positive}, {"seeds", gap.n_seeds}};
  return found;
}

Json by_name(const std::map<std::string, double>& values) {
  Json found = Json::object();
  for (const auto& [name, value] : values) found[name] = real_json(value);
  return found;
}

Json reported_json(const std::vector<ReportedScores>& reported) {
  Json list = Json::array();
  for (const ReportedScores& each : reported) {
    Json seeds = Json::array();
    for (const Scores& scores : each.seeds)
      seeds.push_back(
          {{"r2", real_json(scores.r2)}, {"spearman", real_json(scores.spearman)}, {"mae", real_json(scores.mae)}});
    list.push_back({{"name", each.name},
                    {"label", each.label},
                    {"matched", each.matched},
                    {"seeded", each.seeded},
                    {"r2", summary_json(each.summary.r2)},
                    {"spearman", summary_json(each.summary.spearman)},
                    {"mae", summary_json(each.summary.mae)},
                    {"seeds", seeds}});
  }
  return list;
}

Json regroupings_json(const Regroupings& found) {
  return {{"count", found.mb.size()},
          {"seed", found.seed},
          {"mb", reals_json(found.mb)},
          {"mean", real_json(found.summary.mean)},
          {"std", real_json(found.summary.std)},
          {"low", real_json(found.low)},
          {"high", real_json(found.high)}};
}

}  // namespace

Json interval_json(const Interval& interval) { return {real_json(interval.low), real_json(interval.high)}; }

Json intervals_json(const BootstrapIntervals& intervals) {
  Json comparisons = Json::object();
  for (const BootstrapIntervals::Comparison& each : intervals.comparisons) {
    Json per_seed = Json::array();
    for (const Interval& interval : each.per_seed) per_seed.push_back(interval_json(interval));
    comparisons[each.against] = {
        {"per_seed", per_seed}, {"phase_mean", interval_json(each.phase_mean)}, {"mean", real_json(each.mean)}};
  }
  return {{"unit", intervals.unit == Unit::kRow ? "row" : "target_gene"},
          {"units", intervals.units},
          {"rows", intervals.rows},
          {"replicates", intervals.replicates},
          {"dropped", intervals.dropped},
          {"seed", intervals.seed},
          {"comparisons", comparisons}};
}

std::string posthoc_json(const Posthoc& posthoc) {
  const Ranking& ranking = posthoc.ranking;
  Json found = {{"schema", "scvet-trial-posthoc-1"},
                {"arm", posthoc.arm},
                {"lock", posthoc.lock},
                {"a1", optional_json(posthoc.a1, intervals_json)},
                {"a1g", optional_json(posthoc.a1g, intervals_json)},
                {"a2", a2_json(posthoc.a2)},
                {"a3", a3_json(posthoc.a3)},
                {"a4", a4_json(posthoc.a4)},
                {"reported_only", reported_json(posthoc.reported_only)},
                {"regroupings", optional_json(posthoc.regroupings, regroupings_json)}};
  found["probability"] = optional_json(posthoc.probability, [](const CriterionProbability& each) {
    return Json{{"replicates", each.replicates},
                {"criteria", by_name(each.criteria)},
                {"categories", by_name(each.categories)}};
  });
  found["ranking"] = {{"r2", ranking.by_r2},
                      {"spearman", ranking.by_spearman},
                      {"mae", ranking.by_mae},
                      {"spearman_as_r2", ranking.spearman_as_r2},
                      {"mae_as_r2", ranking.mae_as_r2}};
  found["increment"] = optional_json(posthoc.increment, [](const Increment& each) {
    return Json{{"ridge_both", real_json(each.ridge_both)},
                {"ridge_x_unit", real_json(each.ridge_x_unit)},
                {"difference", real_json(each.difference)}};
  });
  found["positive_rows"] = {{"rows", posthoc.positive.rows}, {"r2", by_name(posthoc.positive.r2)}};
  return canonical(found);
}

}  // namespace scvet::trial
