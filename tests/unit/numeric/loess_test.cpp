#include "scvet/numeric/loess.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "scvet/base/error.h"
#include "scvet/base/random.h"

namespace scvet::numeric {
namespace {

TEST(Loess, GivesBackAParabola) {
  std::vector<double> x, y;
  for (int at = 0; at < 300; ++at) {
    x.push_back(std::fmod(at * 7.31, 40) - 12);
    y.push_back(3 - 2 * x.back() + .25 * x.back() * x.back());
  }
  // A blend of cubic polynomials between vertices with the right values and slopes is the parabola itself.
  const std::vector<double> fitted = loess(x, y, .3);
  for (std::size_t at = 0; at < x.size(); ++at) EXPECT_NEAR(fitted[at], y[at], 1e-9);
}

// Weighted least squares at one point by the normal equations, without vertices.
double direct(const std::vector<double>& x, const std::vector<double>& y, double at, std::size_t q) {
  std::vector<double> distances;
  for (const double value : x) distances.push_back(std::fabs(value - at));
  std::sort(distances.begin(), distances.end());
  const double reach = distances[q - 1];
  double m[3][4] = {};
  for (std::size_t point = 0; point < x.size(); ++point) {
    const double share = std::fabs(x[point] - at) / reach;
    if (share >= 1) continue;
    const double weight = std::pow(1 - share * share * share, 3);
    const double row[4] = {1, x[point] - at, (x[point] - at) * (x[point] - at), y[point]};
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 4; ++b) m[a][b] += weight * row[a] * row[b];
  }
  for (int a = 0; a < 3; ++a)
    for (int other = 0; other < 3; ++other) {
      if (other == a) continue;
      const double factor = m[other][a] / m[a][a];
      for (int b = 0; b < 4; ++b) m[other][b] -= factor * m[a][b];
    }
  return m[0][3] / m[0][0];
}

TEST(Loess, IsNearADirectFitAtEveryPointWhereTheCurveIsSmooth) {
  std::vector<double> x, y;
  Stream stream(3);
  for (int at = 0; at < 500; ++at) {
    x.push_back(10 * stream.unit());
    y.push_back(std::sin(x.back() / 2) + .05 * (stream.unit() - .5));
  }
  const std::vector<double> fitted = loess(x, y, .3);
  for (std::size_t at = 0; at < x.size(); at += 7) EXPECT_NEAR(fitted[at], direct(x, y, x[at], 150), .01);
}

TEST(Loess, ManyPointsOfOneXAreCutBesideThem) {
  std::vector<double> x, y;
  for (int at = 0; at < 400; ++at) {
    x.push_back(at < 100 ? at / 100.0 : at < 180 ? 1 : 1 + (at - 180) / 100.0);
    y.push_back(2 * x.back());
  }
  const std::vector<double> fitted = loess(x, y, .3);
  for (std::size_t at = 0; at < x.size(); ++at) EXPECT_NEAR(fitted[at], y[at], 1e-9);
}

TEST(Loess, PointsWithoutSpreadAndTooFewPointsAreRefused) {
  const std::vector<double> same(50, 1.0), values(50, 2.0), few{1, 2, 3, 4};
  EXPECT_THROW(loess(few, few, .3), DataError);
  std::vector<double> x(50, 1.0);
  x[49] = 2;
  try {
    loess(x, values, .3);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_EQ(error.facts().reason, "loess_no_spread");
  }
  EXPECT_THROW(loess(same, few, .3), InternalError);
}

}  // namespace
}  // namespace scvet::numeric
