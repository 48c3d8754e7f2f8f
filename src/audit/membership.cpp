#include "scvet/audit/membership.h"

#include <algorithm>
#include <cmath>

#include "scvet/numeric/binomial.h"

namespace scvet::audit {
namespace {

double clip(double share) { return std::clamp(share, 0.0, 1.0); }

}  // namespace

MembershipShare membership_share(const ShareInput& input) {
  MembershipShare result;
  result.power = input.power;
  result.thinning = input.thinning;
  result.fpr = input.false_positives.share;
  result.sampled = input.sampled;
  if (input.n == 0) {
    result.reason = "no cell has enough genes";
    return result;
  }
  const double n = static_cast<double>(input.n), pi = input.sampled;
  const double fpr_high = input.false_positives.n > 0 ? input.false_positives.high : 1;
  const double hits_low = numeric::clopper_pearson(input.hits, input.n).low;
  const bool has_power = input.power >= kLeastPowerForBound && input.power > fpr_high;
  const double bounded = has_power ? input.power : 1;
  result.low = hits_low > fpr_high ? clip((hits_low - fpr_high) / (pi * (bounded - fpr_high))) : 0;

  const std::int64_t most = input.hits + input.undecidable;
  const double hits_high = most == 0 ? numeric::zero_hit_bound(input.n) : numeric::clopper_pearson(most, input.n).high;
  result.high = input.power > 0 ? clip(hits_high / (pi * input.power)) : 1;

  if (std::isnan(input.power))
    result.reason = "the power was not measured";
  else if (input.false_positives.n == 0)
    result.reason = "the false positive rate was not measured";
  else if (input.power < kLeastPowerForEstimate)
    result.reason = "too few planted copies are found at the stated thinning to say how many were missed";
  else if (!(input.power > result.fpr))
    result.reason = "planted copies are found no more often than cells are flagged wrongly";
  else
    result.estimate = clip((static_cast<double>(input.hits) / n - result.fpr) / (pi * (input.power - result.fpr)));
  return result;
}

double chance_in_subsample(double sampled, int copies) { return 1 - std::pow(1 - sampled, copies); }

StrataQuality strata_quality(double f, double sampled, double power, double fpr) {
  const double a = sampled * power;
  StrataQuality quality;
  quality.ppv = f * a / (f * a + (1 - f) * fpr);
  quality.members_in_clean = f * (1 - a) / (f * (1 - a) + (1 - f) * (1 - fpr));
  quality.attenuation = quality.ppv - quality.members_in_clean;
  return quality;
}

}  // namespace scvet::audit
