#include "scvet/trial/posthoc.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include "canonical_json.h"
#include "scvet/base/error.h"
#include "scvet/base/parallel.h"
#include "scvet/numeric/moments.h"
#include "stored_vectors.h"

namespace scvet::trial {
namespace {

constexpr double kClose = 1e-9;

void expect_intervals(const StoredTest& test, Unit unit, const testing::json& wanted) {
  const Replicates replicates = bootstrap(test, unit, 2000, 20260605);
  EXPECT_EQ(replicates.units, wanted["units"].get<std::int64_t>());
  for (std::size_t at = 0; at < 10; ++at)
    EXPECT_EQ(replicates.first_draw[at], wanted["first_replicate_first10"][at].get<std::uint32_t>());
  const BootstrapIntervals found = intervals(replicates, test);
  for (const BootstrapIntervals::Comparison& each : found.comparisons) {
    if (!wanted.contains(each.against)) continue;  // MAG_ONLY is ours
    const testing::json& entry = wanted[each.against];
    for (std::size_t seed = 0; seed < each.per_seed.size(); ++seed) {
      EXPECT_NEAR(each.per_seed[seed].low, entry["per_seed"][seed][0].get<double>(), kClose) << each.against;
      EXPECT_NEAR(each.per_seed[seed].high, entry["per_seed"][seed][1].get<double>(), kClose) << each.against;
    }
    EXPECT_NEAR(each.phase_mean.low, entry["phase_mean"][0].get<double>(), kClose) << each.against;
    EXPECT_NEAR(each.phase_mean.high, entry["phase_mean"][1].get<double>(), kClose) << each.against;
  }
}

TEST(Posthoc, IntervalsByRowAndByTargetGeneAreThoseOfTheVectors) {
  SKIP_WITHOUT_TRIAL_VECTORS();
  const testing::json wanted = testing::read_json("synth/expected.json")["representations"]["partial"];
  const StoredTest test = testing::stored_partial();
  expect_intervals(test, Unit::kRow, wanted["a1_row"]);
  expect_intervals(test, Unit::kTargetGene, wanted["a1_target_gene"]);
}

void expect_codes(const std::vector<Category>& found, const testing::json& wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t at = 0; at < found.size(); ++at)
    EXPECT_STREQ(category_name(found[at]), wanted[at].get<std::string>().c_str()) << at;
}

TEST(Posthoc, ThresholdTablesAreThoseOfTheVectors) {
  SKIP_WITHOUT_TRIAL_VECTORS();
  const testing::json representations = testing::read_json("synth/expected.json")["representations"];
  const testing::json a2 = testing::read_json("extra.json")["a2"];
  for (const auto& [name, wanted] : a2.items()) {
    SCOPED_TRACE(name);
    const ThresholdTable table =
        threshold_table(make_deltas(testing::expected_scores(representations[name]["test"])), CascadeRule{});
    EXPECT_EQ(testing::json(table.mb_at_least), wanted["seeds_at_least"]["mb"]);
    EXPECT_EQ(testing::json(table.mg_at_least), wanted["seeds_at_least"]["mg"]);
    EXPECT_EQ(testing::json(table.gb_at_least), wanted["seeds_at_least"]["gb"]);
    const testing::json& margin = wanted["margin"];
    EXPECT_NEAR(table.margin_invalid, margin["invalid"].get<double>(), 1e-14);
    EXPECT_NEAR(table.margin_mb_mean, margin["mb_mean"].get<double>(), 1e-14);
    EXPECT_NEAR(table.margin_mb_4th, margin["mb_4th"].get<double>(), 1e-14);
    EXPECT_NEAR(table.margin_mg_mean, margin["mg_mean"].get<double>(), 1e-14);
    EXPECT_NEAR(table.margin_mg_4th, margin["mg_4th"].get<double>(), 1e-14);
    EXPECT_NEAR(table.margin_gb_mean, margin["gb_mean"].get<double>(), 1e-14);
    const testing::json& other = wanted["hypothetical"];
    expect_codes(table.by_mb, other["mb"]);
    expect_codes(table.by_mg, other["mg"]);
    expect_codes(table.by_gb, other["gb"]);
    expect_codes(table.by_invalid, other["invalid"]);
    expect_codes({table.by_mb_seeds.begin(), table.by_mb_seeds.end()}, other["mb_seeds_3_4_5"]);
    expect_codes({table.by_mg_seeds.begin(), table.by_mg_seeds.end()}, other["mg_seeds_3_4_5"]);
  }
}

TEST(Posthoc, PatternGapsAndRankingsAreThoseOfTheVectors) {
  SKIP_WITHOUT_TRIAL_VECTORS();
  const testing::json representations = testing::read_json("synth/expected.json")["representations"];
  const testing::json extra = testing::read_json("extra.json");
  std::vector<Category> phases;
  for (const testing::json& name : extra["a3"]["phases"])
    phases.push_back(
        *decide(testing::expected_scores(representations[name.get<std::string>()]["test"]), Protocol{}).category);
  EXPECT_EQ(cross_phase_pattern(phases), extra["a3"]["pattern"].get<std::string>());
  for (const auto& [name, wanted] : extra["a4"].items())
    for (const BaselineGap& gap : baseline_gaps(testing::expected_scores(representations[name]["test"]))) {
      EXPECT_NEAR(gap.mean, wanted[gap.over]["mean"].get<double>(), 1e-14) << name << " " << gap.over;
      EXPECT_EQ(gap.positive, wanted[gap.over]["positive"].get<int>());
    }
  const Ranking ranking = rank_predictors(score_stored(testing::stored_partial()));
  EXPECT_EQ(testing::json(ranking.by_r2), extra["rank_by_r2"]);
  EXPECT_EQ(testing::json(ranking.by_mae), extra["rank_by_mae"]);
  EXPECT_EQ(ranking.mae_as_r2, ranking.by_r2 == ranking.by_mae);
}

TEST(Posthoc, AnArrayOfOtherRowsOrLabelsBreaksThePairing) {
  const auto reason = [](const StoredTest& test) -> std::string {
    try {
      bootstrap(test, Unit::kRow, 50, 1);
    } catch (const LockError& error) {
      return error.facts().reason;
    }
    return "none";
  };
  StoredTest test = testing::small_stored();
  EXPECT_EQ(reason(test), "none");
  std::swap(test.arrays[1].row_id[2], test.arrays[1].row_id[3]);
  EXPECT_EQ(reason(test), "pairing_broken");
  test = testing::small_stored();
  test.arrays[4].y[5] += 1e-12;
  EXPECT_EQ(reason(test), "pairing_broken");
  test = testing::small_stored();
  test.arrays[2].row_id.pop_back();
  EXPECT_EQ(reason(test), "pairing_broken");
}

TEST(Posthoc, ReplicatesAreThePlainRSquaredOfTheRowsDrawn) {
  const StoredTest test = testing::small_stored();
  const Replicates found = bootstrap(test, Unit::kTargetGene, 1, 7);
  ASSERT_EQ(found.kept(), 1);
  std::vector<std::int64_t> rows;
  for (const std::uint32_t gene : found.first_draw)
    for (std::size_t row = 0; row < test.target.size(); ++row)
      if (test.target[row] == "g" + std::to_string(gene)) rows.push_back(static_cast<std::int64_t>(row));
  const std::vector<PredictorScores> scores = score_stored(select_rows(test, rows));
  for (int predictor = 0; predictor < 5; ++predictor)
    for (int seed = 0; seed < 5; ++seed)
      EXPECT_NEAR(found.at(0, predictor, seed),
                  scores[static_cast<std::size_t>(predictor)].seeds[static_cast<std::size_t>(seed)].r2, 1e-12);
}

TEST(Posthoc, ReplicatesWithoutSpreadAreDroppedAndCounted) {
  StoredTest test = testing::small_stored(2);
  const Replicates found = bootstrap(test, Unit::kRow, 400, 3);
  EXPECT_GT(found.dropped, 100);  // half of all draws of two rows take one row twice
  EXPECT_LT(found.dropped, 300);
  EXPECT_EQ(found.r2.size(), static_cast<std::size_t>(found.kept()) * 25);
}

TEST(Posthoc, ATrialOfTrueSizeTakesWellUnderASecondAndIsTheSameForAnyNumberOfWorkers) {
  const StoredTest test = testing::small_stored(1565);
  const auto start = std::chrono::steady_clock::now();
  const Replicates found = bootstrap(test, Unit::kRow, 2000, 20260605);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  RecordProperty("milliseconds", static_cast<int>(seconds * 1000));
  EXPECT_LT(seconds, 10) << "even without optimisation";
  set_workers(1);
  EXPECT_EQ(bootstrap(test, Unit::kRow, 200, 5).r2, [&] {
    set_workers(3);
    return bootstrap(test, Unit::kRow, 200, 5).r2;
  }());
  set_workers(0);
}

TEST(Posthoc, ProbabilitiesCountReplicates) {
  const StoredTest test = testing::small_stored(40);
  const Replicates replicates = bootstrap(test, Unit::kTargetGene, 100, 9);
  const CriterionProbability found = criterion_probability(replicates, CascadeRule{});
  double sum = 0;
  for (const auto& [name, share] : found.categories) sum += share;
  EXPECT_NEAR(sum, 1, 1e-12);
  int positive = 0;
  for (int at = 0; at < replicates.kept(); ++at) {
    std::vector<double> mb;
    for (int seed = 0; seed < 5; ++seed) mb.push_back(replicates.at(at, 2, seed) - replicates.at(at, 1, seed));
    positive += numeric::mean(mb) > 0;
  }
  EXPECT_DOUBLE_EQ(found.criteria.at("positive_mb"), positive / static_cast<double>(replicates.kept()));
}

TEST(Posthoc, JsonHasEveryKeyAndIsCanonical) {
  Posthoc posthoc = analyse_stored(testing::small_stored(40), Protocol{}, "demo", "lock");
  const Json found = read_canonical(posthoc_json(posthoc), "posthoc.json");
  for (const char* key : {"schema", "arm", "lock", "a1", "a1g", "a2", "a3", "a4", "probability", "ranking",
                          "reported_only", "increment", "positive_rows", "regroupings"})
    EXPECT_TRUE(found.contains(key)) << key;
  EXPECT_TRUE(found["increment"].is_null());
  EXPECT_EQ(found["a1"]["comparisons"]["BASELINE"]["per_seed"].size(), 5u);
  EXPECT_TRUE(found["a1"]["comparisons"]["BASELINE"]["phase_mean"][0].is_string());
  EXPECT_EQ(found["a2"]["hypothetical"]["mb_seeds"].size(), 3u);
  EXPECT_EQ(found["a3"]["criteria"].size(), 8u);
  posthoc.increment = Increment{.ridge_both = .5, .ridge_x_unit = .25, .difference = .25};
  posthoc.regroupings = Regroupings{.seed = 1, .mb = {.5, .25}, .summary = {.375, .1}, .low = .25, .high = .5};
  const Json more = read_canonical(posthoc_json(posthoc), "posthoc.json");
  EXPECT_EQ(more["increment"]["difference"], "0.25");
  EXPECT_EQ(more["regroupings"]["mb"].size(), 2u);
}

TEST(Posthoc, PositiveRowsLeaveTheClippedOut) {
  StoredTest test = testing::small_stored();
  EXPECT_EQ(test.y[0], 0);
  const PositiveRows found = positive_rows(test);
  std::int64_t positive = 0;
  for (const double y : test.y) positive += y > 0;
  EXPECT_EQ(found.rows, positive);
  EXPECT_GT(found.r2.at("MODEL"), found.r2.at("BASELINE"));
}

}  // namespace
}  // namespace scvet::trial
