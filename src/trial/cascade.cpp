#include "scvet/trial/cascade.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cascade_flags.h"
#include "scvet/base/error.h"
#include "scvet/numeric/moments.h"

namespace scvet::trial {
namespace {

struct CategoryNames {
  const char* full;
  const char* brief;
};
constexpr CategoryNames kNames[] = {{"INVALID", "INVALID"},
                                    {"STRONG_EXTERNAL_REPLICATION", "STRONG"},
                                    {"CAPACITY_ONLY_OR_AMBIGUOUS", "CAPACITY"},
                                    {"PARTIAL_EXTERNAL_REPLICATION", "PARTIAL"},
                                    {"NO_EXTERNAL_REPLICATION", "NO"},
                                    {"CUSTOM", "CUSTOM"}};

// Step `category` of the cascade, whatever comes before it.
bool step_holds(Category category, const Deltas& deltas, const CascadeRule& rule) {
  switch (category) {
    case Category::kInvalid:
      return std::fabs(deltas.mean_sm) < rule.invalid_abs_sm;
    case Category::kStrong:
      return deltas.mean_mb >= rule.mb_mean && seeds_at_least(deltas.mb, rule.mb_seed) >= rule.mb_seeds &&
             deltas.mean_mg >= rule.mg_mean && seeds_at_least(deltas.mg, rule.mg_seed) >= rule.mg_seeds;
    case Category::kCapacity:
      return deltas.mean_gb >= rule.gb_mean;
    case Category::kPartial:
      return deltas.mean_mb > 0 || deltas.mean_mg > 0;
    default:
      return true;
  }
}

void add_criteria(Outcome& outcome, const CascadeRule& rule) {
  const Deltas& deltas = outcome.deltas;
  const auto add = [&](const char* key, const char* label, Category step, double value, const char* op, double bound) {
    const std::string_view how = op;
    const bool passed = how == "<" ? value < bound : how == ">" ? value > bound : value >= bound;
    outcome.criteria.push_back({key, label, category_name(step), value, bound, op, passed});
    return passed;
  };
  outcome.mb_seeds = seeds_at_least(deltas.mb, rule.mb_seed);
  outcome.mg_seeds = seeds_at_least(deltas.mg, rule.mg_seed);
  outcome.invalid =
      add("invalid", "|mean Shuffle - Model|", Category::kInvalid, std::fabs(deltas.mean_sm), "<", rule.invalid_abs_sm);
  outcome.mb_mean = add("mb_mean", "mean Model - Baseline", Category::kStrong, deltas.mean_mb, ">=", rule.mb_mean);
  add("mb_seeds", "seeds with Model - Baseline at the bound", Category::kStrong, outcome.mb_seeds, ">=", rule.mb_seeds);
  outcome.mg_mean = add("mg_mean", "mean Model - Gaussian", Category::kStrong, deltas.mean_mg, ">=", rule.mg_mean);
  add("mg_seeds", "seeds with Model - Gaussian at the bound", Category::kStrong, outcome.mg_seeds, ">=", rule.mg_seeds);
  outcome.gb_mean = add("gb_mean", "mean Gaussian - Baseline", Category::kCapacity, deltas.mean_gb, ">=", rule.gb_mean);
  const bool above_baseline = add("positive_mb", "mean Model - Baseline", Category::kPartial, deltas.mean_mb, ">", 0);
  const bool above_gaussian = add("positive_mg", "mean Model - Gaussian", Category::kPartial, deltas.mean_mg, ">", 0);
  outcome.positive = above_baseline || above_gaussian;
}

bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

std::string abort_reason(const Deltas& deltas) {
  constexpr std::size_t kSeeds = 5;
  const std::size_t fewest = std::min({deltas.mb.size(), deltas.mg.size(), deltas.gb.size(), deltas.sm.size()});
  if (fewest < kSeeds) return fmt::format("expected R^2 of at least {} seeds, found {}", kSeeds, fewest);
  for (const auto* each : {&deltas.mb, &deltas.mg, &deltas.gb, &deltas.sm})
    if (!all_finite(*each)) return "expected finite R^2 of every predictor and seed, found one that is not";
  if (!std::isfinite(deltas.mean_mb) || !std::isfinite(deltas.mean_mg) || !std::isfinite(deltas.mean_gb) ||
      !std::isfinite(deltas.mean_sm))
    return "expected finite mean differences, found one that is not";
  return "";
}

Outcome decide_unless(const std::string& aborts, const Deltas& deltas, const CascadeRule& rule, bool custom) {
  Outcome outcome;
  outcome.deltas = deltas;
  outcome.abort_reason = aborts;
  outcome.aborted = !aborts.empty();
  add_criteria(outcome, rule);
  if (outcome.aborted) return outcome;
  outcome.walked = walk_cascade(deltas, rule);
  outcome.category = custom ? Category::kCustom : *outcome.walked;
  add_delta_flags(outcome, rule);
  return outcome;
}

}  // namespace

const char* category_name(Category category) { return kNames[static_cast<int>(category)].full; }
const char* short_name(Category category) { return kNames[static_cast<int>(category)].brief; }

Category parse_category(std::string_view name, const std::string& where) {
  for (int at = 0; at < static_cast<int>(std::size(kNames)); ++at)
    if (name == kNames[at].full) return static_cast<Category>(at);
  throw DataError(fmt::format("{}: expected a category of the cascade, found '{}'", where, name), {.file = where});
}

Deltas make_deltas(std::vector<double> mb, std::vector<double> mg, std::vector<double> gb, std::vector<double> sm) {
  Deltas deltas{std::move(mb), std::move(mg), std::move(gb), std::move(sm)};
  deltas.mean_mb = numeric::mean(deltas.mb);
  deltas.mean_mg = numeric::mean(deltas.mg);
  deltas.mean_gb = numeric::mean(deltas.gb);
  deltas.mean_sm = numeric::mean(deltas.sm);
  return deltas;
}

Deltas make_deltas(std::span<const PredictorScores> scores) {
  const auto& baseline = scores_of(scores, "BASELINE");
  const auto& model = scores_of(scores, "MODEL");
  const auto& gaussian = scores_of(scores, "GAUSSIAN");
  const auto& shuffle = scores_of(scores, "SHUFFLE");
  return make_deltas(r2_difference(model, baseline), r2_difference(model, gaussian), r2_difference(gaussian, baseline),
                     r2_difference(shuffle, model));
}

int seeds_at_least(std::span<const double> deltas, double bound) {
  return static_cast<int>(std::count_if(deltas.begin(), deltas.end(), [&](double delta) { return delta >= bound; }));
}

Category walk_cascade(const Deltas& deltas, const CascadeRule& rule) {
  for (const std::string& step : rule.order) {
    const Category category = parse_category(step, "the cascade's order");
    if (step_holds(category, deltas, rule)) return category;
  }
  throw InternalError("cascade: its order lacks NO_EXTERNAL_REPLICATION, the step that always holds");
}

Outcome decide(const Deltas& deltas, const CascadeRule& rule, bool custom) {
  return decide_unless(abort_reason(deltas), deltas, rule, custom);
}

Outcome decide(std::span<const PredictorScores> scores, const Protocol& protocol) {
  const Deltas deltas = make_deltas(scores);
  std::string aborts = abort_reason(deltas);
  for (const PredictorScores& of_predictor : scores)
    for (const Scores& each : of_predictor.seeds)
      if (aborts.empty() && !(std::isfinite(each.r2) && std::isfinite(each.mae)))
        aborts = "expected finite metrics, found one of " + of_predictor.name + " that is not";
  Outcome outcome = decide_unless(aborts, deltas, protocol.cascade, !is_default_rule(protocol));
  if (!outcome.aborted) add_anchor_flags(outcome, scores);
  return outcome;
}

std::string cross_phase_pattern(std::span<const Category> phases) {
  std::string pattern;
  for (const Category phase : phases) {
    if (!pattern.empty()) pattern += '_';
    pattern += short_name(phase);
  }
  return pattern;
}

}  // namespace scvet::trial
