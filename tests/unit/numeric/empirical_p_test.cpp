#include "scvet/numeric/empirical_p.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

namespace scvet::numeric {
namespace {

TEST(UpperTailP, NothingReachedGivesOneOverNPlusOne) {
  EXPECT_DOUBLE_EQ(upper_tail_p(std::vector<double>(999, .1), .2), .001);
}

TEST(UpperTailP, MatchesThePublishedVectorWithTies) {
  std::ifstream file(SCVET_REFERENCE_DIR "/audit/small.json");
  if (!file) GTEST_SKIP() << "no reference vectors in " SCVET_REFERENCE_DIR;
  const auto vector = nlohmann::json::parse(file)["conformal"];
  const auto calibration = vector["cal"].get<std::vector<double>>();
  for (std::size_t at = 0; at < vector["test"].size(); ++at)
    EXPECT_NEAR(upper_tail_p(calibration, vector["test"][at].get<double>()), vector["p"][at].get<double>(), 1e-12);
}

}  // namespace
}  // namespace scvet::numeric
