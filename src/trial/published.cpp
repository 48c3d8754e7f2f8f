#include "scvet/trial/published.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "scvet/base/error.h"

namespace scvet::trial {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Interval kUnknown{-kInfinity, kInfinity};

struct Known {
  Interval mb = kUnknown, mg = kUnknown, gb = kUnknown, abs_sm{0, kInfinity};
};

Interval meet(Interval a, Interval b, const char* what) {
  const Interval both{std::max(a.low, b.low), std::min(a.high, b.high)};
  if (both.low > both.high)
    throw DataError(fmt::format("published summary: its figures for {} contradict each other ([{:.6g}, {:.6g}] and "
                                "[{:.6g}, {:.6g}]); check them and the number of decimals",
                                what, a.low, a.high, b.low, b.high),
                    {.field = what});
  return both;
}

Interval around(double value, double margin) { return {value - margin, value + margin}; }
Interval sum(Interval a, Interval b) { return {a.low + b.low, a.high + b.high}; }
Interval difference(Interval a, Interval b) { return {a.low - b.high, a.high - b.low}; }
Interval magnitude(Interval a) {
  const double nearest = a.low > 0 ? a.low : a.high < 0 ? -a.high : 0;
  return {nearest, std::max(std::fabs(a.low), std::fabs(a.high))};
}

double half_unit(int decimals) {
  double unit = 1;
  for (int place = 0; place < decimals; ++place) unit *= 10;
  return 0.5 / unit;
}

// All or none of the seeds at a bound put the mean on that side of it.
void use_seed_count(Interval& mean, std::optional<int> count, int n_seeds, double bound, const char* what) {
  if (count == n_seeds) mean = meet(mean, {bound, kInfinity}, what);
  if (count == 0) mean = meet(mean, {-kInfinity, std::nextafter(bound, -kInfinity)}, what);
}

Known gather(const PublishedSummary& summary, const CascadeRule& rule) {
  const double half = half_unit(summary.decimals);
  Known known;
  const auto use_mean = [&](Interval& into, std::optional<double> mean, std::optional<double> r2_a,
                            std::optional<double> r2_b, const char* what) {
    if (mean) into = meet(into, around(*mean, half), what);
    if (r2_a && r2_b) into = meet(into, around(*r2_a - *r2_b, 2 * half), what);
  };
  use_mean(known.mb, summary.mean_mb, summary.r2_model, summary.r2_baseline, "mean Model - Baseline");
  use_mean(known.mg, summary.mean_mg, summary.r2_model, summary.r2_gaussian, "mean Model - Gaussian");
  use_mean(known.gb, summary.mean_gb, summary.r2_gaussian, summary.r2_baseline, "mean Gaussian - Baseline");
  constexpr const char* kSm = "|mean Shuffle - Model|";
  if (summary.abs_mean_sm) known.abs_sm = meet(known.abs_sm, around(*summary.abs_mean_sm, half), kSm);
  if (summary.abs_sm_bounds) known.abs_sm = meet(known.abs_sm, *summary.abs_sm_bounds, kSm);
  if (summary.r2_shuffle && summary.r2_model)
    known.abs_sm = meet(known.abs_sm, magnitude(around(*summary.r2_shuffle - *summary.r2_model, 2 * half)), kSm);

  use_seed_count(known.mb, summary.seeds_mb, summary.n_seeds, rule.mb_seed, "mean Model - Baseline");
  use_seed_count(known.mg, summary.seeds_mg, summary.n_seeds, rule.mg_seed, "mean Model - Gaussian");
  for (int pass = 0; pass < 2; ++pass) {  // MB = MG + GB
    known.mb = meet(known.mb, sum(known.mg, known.gb), "mean Model - Baseline");
    known.mg = meet(known.mg, difference(known.mb, known.gb), "mean Model - Gaussian");
    known.gb = meet(known.gb, difference(known.mb, known.mg), "mean Gaussian - Baseline");
  }
  return known;
}

struct Verdict {
  bool may, must;
};
Verdict both(Verdict a, Verdict b) { return {a.may && b.may, a.must && b.must}; }
Verdict at_least(Interval value, double bound) { return {value.high >= bound, value.low >= bound}; }
Verdict enough_seeds(std::optional<int> count, int needed) {
  return count ? Verdict{*count >= needed, *count >= needed} : Verdict{true, false};
}

Verdict step(Category category, const Known& known, const PublishedSummary& summary, const CascadeRule& rule) {
  switch (category) {
    case Category::kInvalid:
      return {known.abs_sm.low < rule.invalid_abs_sm, known.abs_sm.high < rule.invalid_abs_sm};
    case Category::kStrong:
      return both(both(at_least(known.mb, rule.mb_mean), enough_seeds(summary.seeds_mb, rule.mb_seeds)),
                  both(at_least(known.mg, rule.mg_mean), enough_seeds(summary.seeds_mg, rule.mg_seeds)));
    case Category::kCapacity:
      return at_least(known.gb, rule.gb_mean);
    case Category::kPartial:
      return {known.mb.high > 0 || known.mg.high > 0, known.mb.low > 0 || known.mg.low > 0};
    default:
      return {true, true};
  }
}

}  // namespace

std::vector<Category> consistent_categories(const PublishedSummary& summary, const CascadeRule& rule) {
  const Known known = gather(summary, rule);
  std::vector<Category> possible;
  for (const std::string& name : rule.order) {
    const Category category = parse_category(name, "the cascade's order");
    const Verdict verdict = step(category, known, summary, rule);
    if (verdict.may) possible.push_back(category);
    if (verdict.must) break;
  }
  return possible;
}

}  // namespace scvet::trial
