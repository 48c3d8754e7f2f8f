#include "scvet/numeric/chi_square.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "scvet/base/error.h"

namespace scvet::numeric {
namespace {

TEST(ChiSquare, MatchesPublishedCriticalValues) {
  EXPECT_NEAR(chi_square_survival(3.841458820694124, 1), .05, 1e-14);
  EXPECT_NEAR(chi_square_survival(5.991464547107979, 2), .05, 1e-14);
  EXPECT_NEAR(chi_square_survival(18.307038053275146, 10), .05, 1e-14);
}

// With 2 m degrees of freedom: exp(-x/2) times the first m terms of the series of exp(x/2).
TEST(ChiSquare, EqualsTheClosedFormOfEvenDegrees) {
  for (const int m : {1, 2, 5, 20})
    for (const double x : {0.0, 0.3, 4.0, 37.0, 200.0}) {
      double term = 1, sum = 0;
      for (int at = 0; at < m; ++at) {
        sum += term;
        term *= x / 2 / (at + 1);
      }
      EXPECT_NEAR(chi_square_survival(x, 2 * m), std::exp(-x / 2) * sum, 1e-13) << x << " with " << 2 * m;
    }
}

TEST(ChiSquare, RefusesWhatIsOutOfRange) {
  EXPECT_THROW(chi_square_survival(-1, 1), InternalError);
  EXPECT_THROW(chi_square_survival(1, 0), InternalError);
  EXPECT_THROW(chi_square_survival(std::numeric_limits<double>::quiet_NaN(), 1), InternalError);
}

}  // namespace
}  // namespace scvet::numeric
