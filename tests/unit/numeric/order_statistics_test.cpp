#include "scvet/numeric/order_statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace scvet::numeric {
namespace {

TEST(Median, TakesTheMiddleOrTheMeanOfTheTwo) {
  EXPECT_EQ(median(std::vector<double>{3, 1, 2}), 2);
  EXPECT_EQ(median(std::vector<double>{4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median(std::vector<double>{7}), 7);
  EXPECT_TRUE(std::isnan(median({})));
}

TEST(MedianAbsoluteDeviation, IsZeroWhenMostValuesAreEqual) {
  EXPECT_EQ(median_absolute_deviation(std::vector<double>{5, 5, 5, 5, 100}, 5), 0);
  EXPECT_EQ(median_absolute_deviation(std::vector<double>{1, 1, 2, 2, 4, 6, 9}, 2), 1);
}

TEST(Quantile, InterpolatesBetweenNeighbours) {
  const std::vector<double> values{40, 10, 30, 20};
  EXPECT_EQ(quantile(values, 0), 10);
  EXPECT_EQ(quantile(values, 1), 40);
  EXPECT_DOUBLE_EQ(quantile(values, .5), 25);
  EXPECT_DOUBLE_EQ(quantile(values, .025), 10.75);
  EXPECT_TRUE(std::isnan(quantile({}, .5)));
}

}  // namespace
}  // namespace scvet::numeric
