#include "scvet/numeric/moments.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace scvet::numeric {
namespace {

TEST(Moments, MeanAndSampleDeviation) {
  const std::vector<double> values{2, 4, 4, 4, 5, 5, 7, 9};
  EXPECT_EQ(mean(values), 5);
  EXPECT_DOUBLE_EQ(standard_deviation(values), std::sqrt(32. / 7));
}

TEST(Moments, ALargeOffsetDoesNotCancel) {
  const std::vector<double> values{1e9 + 1, 1e9 + 2, 1e9 + 3};
  EXPECT_DOUBLE_EQ(standard_deviation(values), 1);
}

TEST(Moments, TooFewValuesAreUndefined) {
  EXPECT_TRUE(std::isnan(mean({})));
  EXPECT_TRUE(std::isnan(standard_deviation(std::vector<double>{1})));
}

}  // namespace
}  // namespace scvet::numeric
