// What a published, rounded summary leaves possible: the set of categories that it is consistent with.
#pragma once

#include <optional>
#include <vector>

#include "scvet/trial/cascade.h"

namespace scvet::trial {

struct Interval {
  double low, high;  // closed
};

struct PublishedSummary {
  std::optional<double> mean_mb = {}, mean_mg = {}, mean_gb = {}, abs_mean_sm = {};  // rounded to `decimals`
  std::optional<Interval> abs_sm_bounds = {};       // known otherwise, e.g. "below 0.020"
  std::optional<int> seeds_mb = {}, seeds_mg = {};  // how many of n_seeds reach the seed bound
  std::optional<double> r2_baseline = {}, r2_model = {}, r2_gaussian = {},
                        r2_shuffle = {};  // mean R^2, rounded to `decimals`
  int decimals = 4;
  int n_seeds = 5;
};

// In the order of the cascade.
std::vector<Category> consistent_categories(const PublishedSummary& summary, const CascadeRule& rule = {});

}  // namespace scvet::trial
