// The k-sample Anderson-Darling statistic for two samples of integers (Scholz and Stephens 1987, midranks): the value of
// scipy's anderson_ksamp([first, second]).statistic, which is normalised, from histograms.
#pragma once

#include <cstdint>
#include <span>

namespace scvet::numeric {

// The standard deviation that the statistic is divided by. Needs n1 + n2 >= 4; O(n1 + n2), so callers keep it.
double anderson_sigma(std::int64_t n1, std::int64_t n2);

class AndersonDarling2 {
 public:
  AndersonDarling2(std::int64_t n1, std::int64_t n2);

  // values: the distinct values of the pooled sample, ascending, 0 among them where it occurs; f1, f2: how often each
  // occurs in the two samples (sums n1 and n2; a value with f1 + f2 = 0 is passed over). NaN where there is no value: an empty sample,
  // fewer than 4 observations, fewer than two distinct values.
  double statistic(std::span<const std::uint32_t> values, std::span<const std::int64_t> f1,
                   std::span<const std::int64_t> f2) const;

  // What remains of the statistic once the sum over distinct values is known (in their ascending order, from +0).
  double from_sum(double sum) const { return (factor_ * sum - 1) / sigma_; }

  std::int64_t n1() const { return n1_; }
  std::int64_t n2() const { return n2_; }
  double sigma() const { return sigma_; }

 private:
  std::int64_t n1_, n2_;
  double sigma_, factor_;
};

}  // namespace scvet::numeric
