#include "scvet/numeric/regression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "scvet/base/error.h"

namespace scvet::numeric {
namespace {

const std::vector<double> kY{1, 2, 4, 5}, kGuess{1, 3, 3, 5};

TEST(Regression, R2IsOneMinusTheShareThatIsMissed) {
  EXPECT_DOUBLE_EQ(r2(kY, kGuess), 1 - 2.0 / 10);
  EXPECT_EQ(r2(kY, kY), 1);
  EXPECT_EQ(r2(kY, std::vector<double>(4, 3.0)), 0);  // the mean
}

TEST(Regression, R2OfEqualValuesIsAnError) {
  for (const double value : {0.1, 3.0})  // the mean of three times 0.1 is not 0.1
    try {
      r2(std::vector<double>(3, value), std::vector<double>{1, 2, 3});
      FAIL();
    } catch (const DataError& error) {
      EXPECT_EQ(error.facts().reason, "ss_tot_zero");
    }
  EXPECT_THROW(r2({}, {}), DataError);
}

TEST(Regression, MaeIsTheMeanDistance) { EXPECT_DOUBLE_EQ(mae(kY, kGuess), 0.5); }

TEST(Regression, PearsonIsOneForALineAndNotANumberForAConstant) {
  std::vector<double> line;
  for (const double value : kY) line.push_back(3 - 2 * value);
  EXPECT_DOUBLE_EQ(pearson(kY, line), -1);
  EXPECT_DOUBLE_EQ(pearson(kY, kGuess), 8 / std::sqrt(10.0 * 8));
  EXPECT_TRUE(std::isnan(pearson(kY, std::vector<double>(4, 0.1))));
  EXPECT_TRUE(std::isnan(pearson({}, {})));
}

TEST(Regression, LengthsMustAgree) {
  const std::vector<double> shorter{1, 2};
  EXPECT_THROW(r2(kY, shorter), InternalError);
  EXPECT_THROW(mae(kY, shorter), InternalError);
  EXPECT_THROW(pearson(kY, shorter), InternalError);
}

}  // namespace
}  // namespace scvet::numeric
