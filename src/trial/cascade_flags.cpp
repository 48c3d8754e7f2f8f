#include "cascade_flags.h"

#include <fmt/format.h>

#include <cmath>

#include "scvet/numeric/moments.h"

namespace scvet::trial {
namespace {

constexpr double kNearMean = 0.002, kNearSeed = 0.001;

double mean_r2(std::span<const PredictorScores> scores, const char* name) {
  std::vector<double> r2;
  for (const Scores& each : scores_of(scores, name).seeds) r2.push_back(each.r2);
  return numeric::mean(r2);
}

void add_near(const Outcome& outcome, const CascadeRule& rule, std::vector<Flag>& flags) {
  const Deltas& deltas = outcome.deltas;
  std::string near;
  const auto note = [&](const std::string& what, double value, double bound, double margin) {
    if (!(std::fabs(value - bound) <= margin)) return;
    near += fmt::format("{}{} {:.4f} is near {:.3f}", near.empty() ? "" : "; ", what, value, bound);
  };
  note("|mean Shuffle - Model|", std::fabs(deltas.mean_sm), rule.invalid_abs_sm, kNearMean);
  note("mean Model - Baseline", deltas.mean_mb, rule.mb_mean, kNearMean);
  note("mean Model - Gaussian", deltas.mean_mg, rule.mg_mean, kNearMean);
  note("mean Gaussian - Baseline", deltas.mean_gb, rule.gb_mean, kNearMean);
  note("mean Model - Baseline", deltas.mean_mb, 0, kNearMean);
  note("mean Model - Gaussian", deltas.mean_mg, 0, kNearMean);
  for (const double delta : deltas.mb) note("a seed's Model - Baseline", delta, rule.mb_seed, kNearSeed);
  for (const double delta : deltas.mg) note("a seed's Model - Gaussian", delta, rule.mg_seed, kNearSeed);
  if (!near.empty()) flags.push_back({"near_threshold", near + "."});
}

}  // namespace

void add_delta_flags(Outcome& outcome, const CascadeRule& rule) {
  const Deltas& deltas = outcome.deltas;
  if (deltas.mean_sm >= rule.invalid_abs_sm)
    outcome.flags.push_back(
        {"shuffle_above_model",
         fmt::format("Shuffled rows predict better than the right ones: mean Shuffle - Model {:+.4f}.",
                     deltas.mean_sm)});
  if (outcome.walked == Category::kPartial && deltas.mean_mb < 0)
    outcome.flags.push_back(
        {"partial_below_baseline",
         fmt::format("PARTIAL here lies below the baseline: mean Model - Baseline {:+.4f}.", deltas.mean_mb)});
  add_near(outcome, rule, outcome.flags);
}

void add_anchor_flags(Outcome& outcome, std::span<const PredictorScores> scores) {
  const double anchor = mean_r2(scores, "MAG_ONLY");
  const double gaussian = mean_r2(scores, "GAUSSIAN"), baseline = mean_r2(scores, "BASELINE");
  if (gaussian < anchor)
    outcome.flags.push_back(
        {"gaussian_below_anchor",
         fmt::format("The network on random numbers falls below magnitude alone (mean R^2 {:.4f} against {:.4f}): "
                     "Model - Gaussian is partly what the network loses.",
                     gaussian, anchor)});
  if (baseline < anchor)
    outcome.flags.push_back(
        {"baseline_below_anchor",
         fmt::format(
             "The baseline falls below magnitude alone (mean R^2 {:.4f} against {:.4f}): beating it means little.",
             baseline, anchor)});
}

}  // namespace scvet::trial
