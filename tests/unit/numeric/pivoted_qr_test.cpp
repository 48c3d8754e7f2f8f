#include "scvet/numeric/pivoted_qr.h"

#include <gtest/gtest.h>

#include "scvet/base/error.h"
#include "scvet/base/parallel.h"
#include "scvet/numeric/least_squares.h"
#include "scvet/numeric/mt19937.h"

namespace scvet::numeric {
namespace {

constexpr double kTolerance = 1e-12;

TEST(PivotedQr, LeavesWhatAParabolaLeaves) {
  constexpr std::int64_t kRows = 40, kTargets = 130;
  Mt19937 random(1);
  std::vector<double> design, x, y(kRows * kTargets);
  for (std::int64_t row = 0; row < kRows; ++row) {
    x.push_back(random.randn());
    for (const double value : {1.0, x.back(), x.back() * x.back()}) design.push_back(value);
  }
  for (double& value : y) value = random.randn();
  const PivotedQr qr({design.data(), kRows, 3}, kTolerance);
  EXPECT_EQ(qr.rank(), 3);
  const std::vector<double> left = qr.residual_squares({y.data(), kRows, kTargets});
  for (std::int64_t target = 0; target < kTargets; ++target) {
    std::vector<double> own;
    for (std::int64_t row = 0; row < kRows; ++row) own.push_back(y[static_cast<std::size_t>(row * kTargets + target)]);
    const auto fitted = fit_parabola(x, own);
    double sum = 0;
    for (std::size_t row = 0; row < own.size(); ++row) {
      const double residual = own[row] - parabola(fitted, x[row]);
      sum += residual * residual;
    }
    EXPECT_NEAR(left[static_cast<std::size_t>(target)], sum, 1e-11);
  }
}

TEST(PivotedQr, ADependentColumnCountsOnceAndChangesNoFit) {
  const std::vector<double> full = {1, 1, 0, 1, 1, 0, 1, 0, 1, 1, 0, 1};  // 1, a, 1 - a
  const std::vector<double> reduced = {1, 1, 1, 1, 1, 0, 1, 0};
  const std::vector<double> y = {1, 3, 10, 14};
  const PivotedQr dependent({full.data(), 4, 3}, kTolerance), independent({reduced.data(), 4, 2}, kTolerance);
  EXPECT_EQ(dependent.rank(), 2);
  EXPECT_EQ(independent.rank(), 2);
  EXPECT_NEAR(dependent.residual_squares({y.data(), 4, 1})[0], 10, 1e-12);
  EXPECT_NEAR(independent.residual_squares({y.data(), 4, 1})[0], 10, 1e-12);
}

TEST(PivotedQr, MoreColumnsThanRowsLeaveNothing) {
  const std::vector<double> design = {1, 0, 2, 1, 5, 1};
  const std::vector<double> y = {4, -2};
  const PivotedQr qr({design.data(), 2, 3}, kTolerance);
  EXPECT_EQ(qr.rank(), 2);
  EXPECT_NEAR(qr.residual_squares({y.data(), 2, 1})[0], 0, 1e-24);
}

TEST(PivotedQr, OtherRowsAreRefused) {
  const std::vector<double> design = {1, 1};
  EXPECT_THROW(PivotedQr({design.data(), 2, 1}, kTolerance).residual_squares({design.data(), 1, 1}), InternalError);
}

}  // namespace
}  // namespace scvet::numeric
