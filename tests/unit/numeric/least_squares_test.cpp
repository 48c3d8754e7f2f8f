#include "scvet/numeric/least_squares.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "scvet/base/error.h"
#include "scvet/base/random.h"

namespace scvet::numeric {
namespace {

TEST(FitParabola, RecoversAParabolaExactly) {
  std::vector<double> x, y;
  for (int at = -10; at <= 10; ++at) {
    x.push_back(.1 * at);
    y.push_back(.35 - .016 * x.back() - .88 * x.back() * x.back());
  }
  const auto c = fit_parabola(x, y);
  EXPECT_NEAR(c[0], .35, 1e-14);
  EXPECT_NEAR(c[1], -.016, 1e-14);
  EXPECT_NEAR(c[2], -.88, 1e-13);
}

TEST(FitParabola, ResidualsAreOrthogonalToTheColumns) {
  Stream random(7);
  std::vector<double> x, y;
  for (int at = 0; at < 500; ++at) {
    x.push_back(random.unit() * 2 - .7);
    y.push_back(random.unit());
  }
  const auto c = fit_parabola(x, y);
  double sums[3] = {0, 0, 0};
  for (std::size_t at = 0; at < x.size(); ++at) {
    const double residual = y[at] - parabola(c, x[at]);
    sums[0] += residual;
    sums[1] += residual * x[at];
    sums[2] += residual * x[at] * x[at];
  }
  for (const double sum : sums) EXPECT_NEAR(sum, 0, 1e-11);
}

TEST(FitParabola, EqualXGiveTheMean) {
  const std::vector<double> x(4, 0.), y{1, 2, 3, 6};
  const auto c = fit_parabola(x, y);
  EXPECT_DOUBLE_EQ(parabola(c, 0), 3);
  EXPECT_EQ(c[1], 0);
  EXPECT_EQ(c[2], 0);
}

TEST(FitParabola, TwoValuesOfXGiveTheTwoMeans) {
  const std::vector<double> x{-1, -1, 2, 2}, y{1, 3, 5, 9};
  const auto c = fit_parabola(x, y);
  EXPECT_NEAR(parabola(c, -1), 2, 1e-12);
  EXPECT_NEAR(parabola(c, 2), 7, 1e-12);
}

TEST(FitParabola, NoPointsGiveZeroAndUnequalLengthsAreRefused) {
  EXPECT_EQ(fit_parabola({}, {})[0], 0);
  EXPECT_THROW(fit_parabola(std::vector<double>{1}, {}), InternalError);
}

}  // namespace
}  // namespace scvet::numeric
