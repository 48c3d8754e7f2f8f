// Share of a benchmark's cells that are in the corpus, from flags that miss some and may be wrong.
#pragma once

#include <cstdint>

#include "scvet/audit/outcome.h"

namespace scvet::audit {

struct ShareInput {
  std::int64_t n = 0;            // cells with enough genes
  std::int64_t hits = 0;         // of them `exact` or `same_cell`
  std::int64_t undecidable = 0;  // of them neither, status undecidable_rare
  double power = kNaN;           // share of planted copies that is found
  double thinning = .5;
  Share false_positives;  // n = 0: not measured
  double sampled = 1;     // share of the corpus that was searched (pi)
};

// f = (hits/n - fpr) / (pi (power - fpr)) within [0, 1]; NaN with a reason where fpr was not measured or power lies below
// kLeastPowerForEstimate: the planted copies then say nothing of those that were found.
// low: Clopper-Pearson lower bound of the hits with the upper bound of fpr; 0 where fpr was not measured. With power below
// kLeastPowerForBound it takes power 1, which gives a bound that holds whatever the copies are like.
// high: Clopper-Pearson upper bound of hits and undecidable cells with fpr 0; without any of these the one-sided
// 1 - .05^(1/n). Power 0: 1.
constexpr double kLeastPowerForEstimate = .2, kLeastPowerForBound = .8;
MembershipShare membership_share(const ShareInput& input);

// Chance that a cell which the corpus holds `copies` times is in a subsample of share pi: 1 - (1 - pi)^copies.
double chance_in_subsample(double sampled, int copies);

// What flags of this power and fpr do to strata when a share f is in the corpus, of which pi was searched.
struct StrataQuality {
  double ppv = kNaN;               // members among the flagged
  double members_in_clean = kNaN;  // members among the others
  double attenuation = kNaN;       // the difference: what is left of an effect
};
StrataQuality strata_quality(double f, double sampled, double power, double fpr);

}  // namespace scvet::audit
