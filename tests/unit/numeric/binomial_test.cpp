#include "scvet/numeric/binomial.h"

#include <gtest/gtest.h>

#include <cmath>

#include "scvet/base/error.h"

namespace scvet::numeric {
namespace {

// P(X <= k) summed term by term.
double binomial_cdf(std::int64_t k, std::int64_t n, double p) {
  double sum = 0;
  for (std::int64_t hits = 0; hits <= k; ++hits) {
    const double x = static_cast<double>(hits), all = static_cast<double>(n);
    sum += std::exp(std::lgamma(all + 1) - std::lgamma(x + 1) - std::lgamma(all - x + 1) + x * std::log(p) +
                    (all - x) * std::log1p(-p));
  }
  return sum;
}

TEST(ClopperPearson, MatchesPublishedValues) {
  const Interval ten = clopper_pearson(0, 10);
  EXPECT_EQ(ten.low, 0);
  EXPECT_NEAR(ten.high, .3084971078187608, 1e-12);
  const Interval half = clopper_pearson(5, 10);
  EXPECT_NEAR(half.low, .18708602844739855, 1e-12);
  EXPECT_NEAR(half.high, .8129139715526015, 1e-12);
}

TEST(ClopperPearson, EachTailOfTheBinomialHasItsShare) {
  for (const std::int64_t n : {1, 7, 300, 5000})
    for (const std::int64_t hits : {std::int64_t{1}, n / 3, n - 1, n}) {
      if (hits < 1 || hits > n) continue;
      const Interval interval = clopper_pearson(hits, n);
      EXPECT_NEAR(1 - binomial_cdf(hits - 1, n, interval.low), .025, 1e-9);
      if (hits < n) {
        EXPECT_NEAR(binomial_cdf(hits, n, interval.high), .025, 1e-9);
      }
    }
}

TEST(ClopperPearson, AllHitsEndAtOneAndNoTrialsSayNothing) {
  EXPECT_EQ(clopper_pearson(4, 4).high, 1);
  EXPECT_NEAR(clopper_pearson(4, 4).low, std::pow(.025, .25), 1e-12);
  EXPECT_EQ(clopper_pearson(0, 0).low, 0);
  EXPECT_EQ(clopper_pearson(0, 0).high, 1);
}

TEST(ClopperPearson, RefusesMoreHitsThanTrials) { EXPECT_THROW(clopper_pearson(3, 2), InternalError); }

TEST(ZeroHitBound, IsTheShareThatMissesWithFivePercent) {
  for (const std::int64_t n : {1, 20, 2700}) EXPECT_NEAR(std::pow(1 - zero_hit_bound(n), n), .05, 1e-12);
  EXPECT_EQ(zero_hit_bound(0), 1);
}

}  // namespace
}  // namespace scvet::numeric
