#include "scvet/numeric/multiple_testing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

namespace scvet::numeric {
namespace {

TEST(BenjaminiHochberg, MatchesThePublishedVectorWithAMissingP) {
  std::ifstream file(SCVET_REFERENCE_DIR "/audit/small.json");
  if (!file) GTEST_SKIP() << "no reference vectors in " SCVET_REFERENCE_DIR;
  const auto vector = nlohmann::json::parse(file)["bh"];
  std::vector<double> p;
  for (const auto& value : vector["p"])
    p.push_back(value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>());
  const std::vector<double> q = benjamini_hochberg(p);
  ASSERT_EQ(q.size(), vector["q"].size());
  for (std::size_t at = 0; at < q.size(); ++at)
    if (vector["q"][at].is_null())
      EXPECT_TRUE(std::isnan(q[at]));
    else
      EXPECT_NEAR(q[at], vector["q"][at].get<double>(), 1e-12);
}

TEST(BenjaminiHochberg, FollowsTheDefinitionOnRandomOrder) {
  const std::vector<double> p{.9, .0001, .03, .03, .5, .0002};
  const std::vector<double> q = benjamini_hochberg(p);
  for (std::size_t at = 0; at < p.size(); ++at) {
    double smallest = 1;
    for (const double threshold : p) {
      if (threshold < p[at]) continue;
      double rank = 0;
      for (const double other : p) rank += other <= threshold;
      smallest = std::min(smallest, threshold * static_cast<double>(p.size()) / rank);
    }
    EXPECT_DOUBLE_EQ(q[at], smallest);
  }
}

TEST(BenjaminiHochberg, NoTestsGiveNoQ) { EXPECT_TRUE(benjamini_hochberg({}).empty()); }

}  // namespace
}  // namespace scvet::numeric
