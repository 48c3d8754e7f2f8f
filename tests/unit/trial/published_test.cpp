#include "scvet/trial/published.h"

#include <gtest/gtest.h>

#include "scvet/base/error.h"
#include "trial_vectors.h"

namespace scvet::trial {
namespace {

PublishedSummary summary_of(const testing::json& entry) {
  PublishedSummary summary;
  const auto real = [&](const testing::json& from, const char* key) -> std::optional<double> {
    return from.is_null() || from[key].is_null() ? std::nullopt : std::optional<double>(from[key].get<double>());
  };
  const auto count = [&](const char* key) -> std::optional<int> {
    return entry[key].is_null() ? std::nullopt : std::optional<int>(entry[key].get<int>());
  };
  summary.mean_mb = real(entry, "mean_model_minus_baseline");
  summary.mean_mg = real(entry, "mean_model_minus_gaussian");
  summary.mean_gb = real(entry, "mean_gaussian_minus_baseline");
  summary.abs_mean_sm = real(entry, "abs_mean_shuffle_minus_model");
  summary.seeds_mb = count("seeds_mb");
  summary.seeds_mg = count("seeds_mg");
  const testing::json& r2 = entry["mean_test_r2"];
  summary.r2_baseline = real(r2, "BASELINE");
  summary.r2_model = real(r2, "MODEL");
  summary.r2_gaussian = real(r2, "GAUSSIAN");
  summary.r2_shuffle = real(r2, "SHUFFLE");
  if (entry.contains("abs_sm_bounds"))
    summary.abs_sm_bounds = Interval{entry["abs_sm_bounds"][0], entry["abs_sm_bounds"][1]};
  return summary;
}

std::vector<std::string> names(const std::vector<Category>& categories) {
  std::vector<std::string> found;
  for (const Category each : categories) found.emplace_back(category_name(each));
  return found;
}

TEST(Published, EveryArmAndPhaseGivesItsConsistentCategories) {
  SKIP_WITHOUT_TRIAL_VECTORS();
  const testing::json cases = testing::read_json("cascade_cases.json")["published"];
  ASSERT_EQ(cases.size(), 12u);
  for (const testing::json& entry : cases)
    EXPECT_EQ(names(consistent_categories(summary_of(entry))),
              entry["consistent_categories"].get<std::vector<std::string>>())
        << entry["arm"] << " " << entry["phase"] << " " << entry["note"];
}

TEST(Published, MeanR2AloneBoundTheDeltas) {
  PublishedSummary summary;
  summary.r2_baseline = .8310;
  summary.r2_model = .8362;
  summary.r2_gaussian = .6587;
  summary.r2_shuffle = .6441;
  EXPECT_EQ(consistent_categories(summary), std::vector{Category::kPartial});
}

TEST(Published, FewerDecimalsLeaveMoreOpen) {
  PublishedSummary summary{.mean_mb = .0204, .mean_mg = .2, .abs_mean_sm = .2, .seeds_mb = 4, .seeds_mg = 5};
  EXPECT_EQ(consistent_categories(summary), std::vector{Category::kStrong});
  summary.mean_mb = .02;
  summary.decimals = 2;
  EXPECT_EQ(consistent_categories(summary), (std::vector{Category::kStrong, Category::kPartial}));
}

TEST(Published, FiguresThatContradictEachOtherAreRefused) {
  PublishedSummary summary{.mean_mb = .05, .mean_mg = .10, .mean_gb = .01};
  EXPECT_THROW(consistent_categories(summary), DataError);
  EXPECT_THROW(consistent_categories({.mean_mb = .05, .seeds_mb = 0}), DataError);
}

}  // namespace
}  // namespace scvet::trial
