#include <gtest/gtest.h>

#include <set>

#include "contracts/predictor_contract.h"
#include "scvet/trial/posthoc.h"
#include "small_set.h"

namespace scvet::trial {
namespace {

TEST(Predictors, AllKeepTheContractAndSeeNoLabelOutsideTrain) {
  testing::SmallSet set;
  const Protocol protocol = testing::quick();
  const FixedPredictions fixed = fit_fixed(set.data, protocol);
  const PredictorInput input{set.data, fixed, set.z_view(), protocol, set.z_view()};
  for (const PredictorRecord* record : predictors()) testing::expect_predictor_contract(*record, set.data, input);
}

TEST(Predictors, TheCascadeHasFiveAndNamesAreUnique) {
  std::set<std::string> names, in_cascade;
  for (const PredictorRecord* record : predictors()) {
    EXPECT_TRUE(names.insert(record->name).second) << record->name;
    if (record->in_cascade) in_cascade.insert(record->name);
  }
  EXPECT_EQ(in_cascade, (std::set<std::string>(kCascadePredictors.begin(), kCascadePredictors.end())));
  EXPECT_EQ(names.size(), 14u);
}

TEST(Predictors, TrainingMeanIsTheMeanOfTrainLabels) {
  testing::SmallSet set;
  const Protocol protocol = testing::quick();
  const FixedPredictions fixed = fit_fixed(set.data, protocol);
  double sum = 0, n = 0;
  for (const std::int64_t row : rows_of_part(set.data.split, Part::kTrain)) {
    sum += set.data.y[static_cast<std::size_t>(row)];
    ++n;
  }
  const auto found = testing::run_one(predictor("TRAINING_MEAN"), {set.data, fixed, set.z_view(), protocol, {}});
  EXPECT_EQ(found[0], std::vector<double>(set.data.y.size(), sum / n));
}

TEST(Predictors, MatchedRepresentationsHaveTheDimensionOfTheArm) {
  testing::SmallSet set;
  const Protocol protocol = testing::quick();
  const FixedPredictions fixed = fit_fixed(set.data, protocol);
  const PredictorInput input{set.data, fixed, set.z_view(), protocol, {}};
  for (const char* name : {"PCA_EXPRESSION", "RANDOM_PROJECTION", "HVG_DELTA"}) {
    const FeatureMatrix features = predictor(name).features(input);
    EXPECT_EQ(features.cols, input.z.cols) << name;
    for (std::int64_t row = 0; row < input.z.rows; ++row) {
      double squares = 0;
      for (std::int64_t col = 0; col < features.cols; ++col) {
        const double value = features.values[static_cast<std::size_t>(row * features.cols + col)];
        squares += value * value;
      }
      EXPECT_NEAR(squares, 1, 1e-12) << name;
    }
  }
}

TEST(Predictors, ReportedScoresCarryTheIncrement) {
  testing::SmallSet set;
  const Protocol protocol = testing::quick();
  const FixedPredictions fixed = fit_fixed(set.data, protocol);
  const auto runs = run_reported_only({set.data, fixed, set.z_view(), protocol, {}});
  const std::vector<ReportedScores> reported = score_reported_only(set.data, runs);
  const auto added = increment(reported);
  ASSERT_TRUE(added.has_value());
  EXPECT_EQ(added->difference, added->ridge_both - added->ridge_x_unit);
  EXPECT_GT(added->difference, 0) << "the representation holds part of the label";
}

TEST(Regroup, NeverReadsATestLabelAndRepeatsItself) {
  testing::SmallSet set;
  const Protocol protocol = testing::quick();
  const Regroupings found = regroup(set.data, set.z_view(), protocol, 3);
  ASSERT_EQ(found.mb.size(), 3u);
  EXPECT_LE(found.low, found.summary.mean);
  EXPECT_GE(found.high, found.summary.mean);
  EXPECT_NE(found.mb[0], found.mb[1]);
  for (const std::int64_t row : rows_of_part(set.data.split, Part::kTest))
    set.data.y[static_cast<std::size_t>(row)] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(regroup(set.data, set.z_view(), protocol, 3).mb, found.mb);
}

}  // namespace
}  // namespace scvet::trial
