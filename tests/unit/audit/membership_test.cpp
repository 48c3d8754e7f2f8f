#include "scvet/audit/membership.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "scvet/numeric/binomial.h"

namespace scvet::audit {
namespace {

class Small : public ::testing::Test {
 protected:
  void SetUp() override {
    std::ifstream file(SCVET_REFERENCE_DIR "/audit/small.json");
    if (!file) GTEST_SKIP() << "no reference vectors in " SCVET_REFERENCE_DIR;
    vector_ = nlohmann::json::parse(file);
  }
  nlohmann::json vector_;
};

TEST_F(Small, BoundWithoutAHitIsAsPublished) {
  for (const auto& entry : vector_["bound"]) {
    ShareInput input;
    input.n = entry["n"];
    input.power = 1;
    input.sampled = entry["pi"];
    EXPECT_NEAR(membership_share(input).high, entry["upper95"].get<double>(), 1e-12);
  }
}

TEST_F(Small, EstimateIsAsPublished) {
  const auto& entry = vector_["share"];
  ShareInput input;
  input.n = entry["n"];
  input.hits = entry["x"];
  input.power = entry["power"];
  input.sampled = entry["pi"];
  input.false_positives = make_share(1, 1000);
  EXPECT_NEAR(membership_share(input).estimate, entry["estimate"].get<double>(), 1e-12);
}

TEST_F(Small, ChanceInASubsampleIsAsPublished) {
  for (const auto& entry : vector_["copies_in_subsample"])
    EXPECT_NEAR(chance_in_subsample(entry["pi"], entry["r"]), entry["p"].get<double>(), 1e-12);
}

TEST_F(Small, AttenuationIsAsPublished) {
  for (const auto& entry : vector_["attenuation"]) {
    const StrataQuality quality = strata_quality(entry["f"], entry["pi"], entry["power"], entry["fpr"]);
    EXPECT_NEAR(quality.ppv, entry["ppv"].get<double>(), 1e-12);
    EXPECT_NEAR(quality.members_in_clean, entry["members_in_clean"].get<double>(), 1e-12);
    EXPECT_NEAR(quality.attenuation, entry["attenuation"].get<double>(), 1e-12);
  }
}

ShareInput example() {
  ShareInput input;
  input.n = 1000;
  input.hits = 100;
  input.power = .9;
  input.false_positives = make_share(0, 1000);
  return input;
}

TEST(MembershipShare, BoundsUseTheirOwnFormulas) {
  const MembershipShare share = membership_share(example());
  const auto hits = numeric::clopper_pearson(100, 1000);
  const double fpr = numeric::clopper_pearson(0, 1000).high;
  EXPECT_NEAR(share.estimate, .1 / .9, 1e-12);
  EXPECT_NEAR(share.low, (hits.low - fpr) / (.9 - fpr), 1e-12);
  EXPECT_NEAR(share.high, hits.high / .9, 1e-12);
}

TEST(MembershipShare, UndecidableCellsRaiseOnlyTheUpperBound) {
  ShareInput input = example();
  input.undecidable = 50;
  const MembershipShare share = membership_share(input);
  EXPECT_EQ(share.low, membership_share(example()).low);
  EXPECT_NEAR(share.high, numeric::clopper_pearson(150, 1000).high / .9, 1e-12);
  input.hits = 0;
  input.undecidable = 1;
  EXPECT_NEAR(membership_share(input).high, numeric::clopper_pearson(1, 1000).high / .9, 1e-12);
}

TEST(MembershipShare, UnmeasuredFalsePositivesLeaveNoEstimateAndNoLowerBound) {
  ShareInput input = example();
  input.false_positives = {};
  const MembershipShare share = membership_share(input);
  EXPECT_TRUE(std::isnan(share.estimate));
  EXPECT_EQ(share.low, 0);
  EXPECT_FALSE(share.reason.empty());
}

// Kang 2,000 on 242 genes: 49 whole copies, of which the thinned plants see almost nothing. Dividing by that power called
// all of the benchmark exposed.
TEST(MembershipShare, LittlePowerNeverInflatesTheLowerBound) {
  ShareInput input = example();
  const double fpr = input.false_positives.high, hits = numeric::clopper_pearson(100, 1000).low;
  for (const double power : {0., .01, .1, .79}) {
    input.power = power;
    EXPECT_NEAR(membership_share(input).low, (hits - fpr) / (1 - fpr), 1e-12);
    EXPECT_EQ(std::isnan(membership_share(input).estimate), power < .2);
    EXPECT_EQ(membership_share(input).reason.empty(), power >= .2);
  }
}

TEST(MembershipShare, WithoutPowerTheUpperBoundIsEverything) {
  ShareInput input = example();
  input.power = 0;
  EXPECT_EQ(membership_share(input).high, 1);
  input.power = kNaN;
  EXPECT_EQ(membership_share(input).high, 1);
  EXPECT_FALSE(membership_share(input).reason.empty());
}

TEST(MembershipShare, StaysWithinZeroAndOne) {
  ShareInput input = example();
  input.sampled = .01;
  EXPECT_EQ(membership_share(input).estimate, 1);
  EXPECT_EQ(membership_share(input).high, 1);
  input = example();
  input.hits = 0;
  input.false_positives = make_share(20, 1000);
  EXPECT_EQ(membership_share(input).estimate, 0);
  EXPECT_EQ(membership_share(input).low, 0);
}

TEST(MembershipShare, NoCellsSayNothing) {
  const MembershipShare share = membership_share({});
  EXPECT_TRUE(std::isnan(share.low) && std::isnan(share.high));
  EXPECT_FALSE(share.reason.empty());
}

}  // namespace
}  // namespace scvet::audit
