#include "scvet/trial/cascade.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "scvet/base/error.h"
#include "trial_vectors.h"

namespace scvet::trial {
namespace {

std::vector<double> reals(const testing::json& list) { return list.get<std::vector<double>>(); }

Deltas deltas_of(const testing::json& entry) {
  return make_deltas(reals(entry["model_minus_baseline"]), reals(entry["model_minus_gaussian"]),
                     reals(entry["gaussian_minus_baseline"]), reals(entry["shuffle_minus_model"]));
}

std::vector<PredictorScores> scores_from(const std::map<std::string, std::vector<double>>& r2) {
  std::vector<PredictorScores> scores;
  for (const char* name : kCascadePredictors) {
    PredictorScores of_one{name, {}};
    for (const double value : r2.at(name)) of_one.seeds.push_back({.r2 = value, .spearman = 0.5, .mae = 0.1});
    scores.push_back(of_one);
  }
  return scores;
}

std::vector<std::string> flag_keys(const Outcome& outcome) {
  std::vector<std::string> keys;
  for (const Flag& flag : outcome.flags) keys.push_back(flag.key);
  return keys;
}

void expect_case(const Outcome& outcome, const testing::json& entry) {
  const std::string name = entry["name"];
  ASSERT_TRUE(outcome.category.has_value()) << name << ": " << outcome.abort_reason;
  EXPECT_STREQ(category_name(*outcome.category), entry["expected"].get<std::string>().c_str()) << name;
  EXPECT_EQ(reals(entry["means"]), (std::vector<double>{outcome.deltas.mean_mb, outcome.deltas.mean_mg,
                                                        outcome.deltas.mean_gb, outcome.deltas.mean_sm}))
      << name;
  EXPECT_EQ(entry["seeds_pass"], (testing::json{outcome.mb_seeds, outcome.mg_seeds})) << name;
}

TEST(Cascade, EveryCaseOfDeltasEndsInItsCategory) {
  SKIP_WITHOUT_TRIAL_VECTORS();
  const testing::json cases = testing::read_json("cascade_cases.json")["delta_cases"];
  ASSERT_EQ(cases.size(), 41u);
  for (const testing::json& entry : cases) expect_case(decide(deltas_of(entry), {}, false), entry);
}

TEST(Cascade, EveryCaseOfR2EndsInItsCategory) {
  SKIP_WITHOUT_TRIAL_VECTORS();
  const testing::json cases = testing::read_json("cascade_cases.json")["r2_cases"];
  ASSERT_EQ(cases.size(), 6u);
  for (const testing::json& entry : cases) expect_case(decide(scores_from(entry["test_r2"]), Protocol{}), entry);
}

TEST(Cascade, CriteriaSayValueBoundAndOperator) {
  const Outcome outcome = decide(
      make_deltas(std::vector(5, .03), std::vector(5, .1), std::vector(5, -.07), std::vector(5, -.2)), {}, false);
  std::vector<std::string> keys;
  for (const Criterion& each : outcome.criteria) {
    keys.push_back(each.key);
    const bool holds = each.op == "<" ? each.value < each.bound
                                      : (each.op == ">" ? each.value > each.bound : each.value >= each.bound);
    EXPECT_EQ(each.passed, holds) << each.key;
  }
  EXPECT_THAT(keys, ::testing::ElementsAre("invalid", "mb_mean", "mb_seeds", "mg_mean", "mg_seeds", "gb_mean",
                                           "positive_mb", "positive_mg"));
  EXPECT_EQ(outcome.category, Category::kStrong);
  EXPECT_FALSE(outcome.invalid);
  EXPECT_TRUE(outcome.mb_mean && outcome.mg_mean && outcome.positive && !outcome.gb_mean);
}

TEST(Cascade, FewerThanFiveSeedsOrANonFiniteMetricAbortAndAreNeverInvalid) {
  const Outcome few =
      decide(make_deltas(std::vector(4, .0), std::vector(4, .0), std::vector(4, .0), std::vector(4, .0)), {}, false);
  EXPECT_TRUE(few.aborted);
  EXPECT_FALSE(few.category.has_value());
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    auto scores = scores_from({{"MAG_ONLY", std::vector(5, .5)},
                               {"BASELINE", std::vector(5, .5)},
                               {"MODEL", std::vector(5, .5)},
                               {"GAUSSIAN", std::vector(5, .5)},
                               {"SHUFFLE", std::vector(5, .5)}});
    scores[4].seeds[2].r2 = bad;
    EXPECT_TRUE(decide(scores, Protocol{}).aborted);
    scores[4].seeds[2].r2 = .5;
    scores[0].seeds[1].mae = bad;  // no delta sees it
    const Outcome outcome = decide(scores, Protocol{});
    EXPECT_TRUE(outcome.aborted);
    EXPECT_FALSE(outcome.category.has_value());
    EXPECT_NE(outcome.abort_reason.find("MAG_ONLY"), std::string::npos);
    EXPECT_EQ(outcome.criteria.size(), 8u);
  }
}

TEST(Cascade, ConstantPredictionsWithoutASpearmanDoNotAbort) {
  auto scores = scores_from({{"MAG_ONLY", std::vector(5, .5)},
                             {"BASELINE", std::vector(5, .8)},
                             {"MODEL", std::vector(5, .9)},
                             {"GAUSSIAN", std::vector(5, .5)},
                             {"SHUFFLE", std::vector(5, .5)}});
  for (Scores& each : scores[4].seeds) each.spearman = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(decide(scores, Protocol{}).category, Category::kStrong);
}

TEST(Cascade, AChangedRuleGivesCustomAndKeepsItsCriteria) {
  const std::map<std::string, std::vector<double>> r2{{"MAG_ONLY", std::vector(5, .5)},
                                                      {"BASELINE", std::vector(5, .8)},
                                                      {"MODEL", std::vector(5, .9)},
                                                      {"GAUSSIAN", std::vector(5, .5)},
                                                      {"SHUFFLE", std::vector(5, .5)}};
  for (const auto& change : std::vector<void (*)(CascadeRule&)>{
           [](CascadeRule& rule) { rule.mb_mean = .01; }, [](CascadeRule& rule) { rule.mb_seeds = 3; },
           [](CascadeRule& rule) { std::swap(rule.order[2], rule.order[3]); }}) {
    Protocol protocol;
    change(protocol.cascade);
    const Outcome outcome = decide(scores_from(r2), protocol);
    EXPECT_EQ(outcome.category, Category::kCustom);
    EXPECT_EQ(outcome.walked, Category::kStrong);
    EXPECT_EQ(outcome.criteria.size(), 8u);
  }
}

TEST(Cascade, TheStepsAreWalkedInTheOrderOfTheRule) {
  // Gaussian beats the baseline, and the model beats both: CAPACITY or PARTIAL, whichever is asked first.
  const Deltas deltas =
      make_deltas(std::vector(5, .015), std::vector(5, .004), std::vector(5, .011), std::vector(5, -.3));
  EXPECT_EQ(walk_cascade(deltas, {}), Category::kCapacity);
  CascadeRule swapped;
  std::swap(swapped.order[2], swapped.order[3]);
  EXPECT_EQ(walk_cascade(deltas, swapped), Category::kPartial);
}

TEST(Cascade, FlagsNameWhatTheCategoryDoesNotSay) {
  const auto keys = [](double mag, double baseline, double model, double gaussian, double shuffle) {
    return flag_keys(decide(scores_from({{"MAG_ONLY", std::vector(5, mag)},
                                         {"BASELINE", std::vector(5, baseline)},
                                         {"MODEL", std::vector(5, model)},
                                         {"GAUSSIAN", std::vector(5, gaussian)},
                                         {"SHUFFLE", std::vector(5, shuffle)}}),
                            Protocol{}));
  };
  using ::testing::ElementsAre;
  EXPECT_THAT(keys(.5, .7, .9, .6, .6), ElementsAre());
  EXPECT_THAT(keys(.5, .7, .8, .6, .9), ElementsAre("shuffle_above_model"));
  EXPECT_THAT(keys(.5, .7, .9, .4, .6), ElementsAre("gaussian_below_anchor"));
  EXPECT_THAT(keys(.5, .8, .7, .6, .55), ElementsAre("partial_below_baseline"));
  EXPECT_THAT(keys(.5, .4, .9, .6, .6), ElementsAre("baseline_below_anchor"));
  EXPECT_THAT(keys(.5, .7, .721, .6, .5), ElementsAre("near_threshold"));
}

TEST(Cascade, PatternJoinsShortNames) {
  EXPECT_EQ(cross_phase_pattern(std::vector{Category::kPartial, Category::kStrong}), "PARTIAL_STRONG");
}

TEST(Cascade, CategoriesAreReadByTheirFullNames) {
  for (const Category category : kCategories) EXPECT_EQ(parse_category(category_name(category), "file"), category);
  EXPECT_THROW(parse_category("STRONG", "file"), DataError);
}

}  // namespace
}  // namespace scvet::trial
