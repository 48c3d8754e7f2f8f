#include "scvet/numeric/ranks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <vector>

#include "scvet/base/error.h"

namespace scvet::numeric {
namespace {

TEST(Spearman, EqualAndReversedOrders) {
  std::vector<std::uint32_t> order(4096);
  std::iota(order.begin(), order.end(), 0u);
  EXPECT_EQ(spearman(order), 1);
  std::reverse(order.begin(), order.end());
  EXPECT_DOUBLE_EQ(spearman(order), -1);
}

TEST(Spearman, IsPearsonOfThePlaces) {
  const std::vector<std::uint32_t> order{2, 0, 3, 1, 5, 4};
  double xy = 0, xx = 0;
  for (std::size_t at = 0; at < order.size(); ++at) {
    xy += (static_cast<double>(at) - 2.5) * (order[at] - 2.5);
    xx += (static_cast<double>(at) - 2.5) * (static_cast<double>(at) - 2.5);
  }
  EXPECT_DOUBLE_EQ(spearman(order), xy / xx);
}

TEST(Spearman, OneThingHasNoOrder) { EXPECT_TRUE(std::isnan(spearman(std::vector<std::uint32_t>{0}))); }

TEST(AverageRanks, TiesShareTheMeanOfTheirRanks) {
  EXPECT_EQ(average_ranks(std::vector<double>{1, 2, 2, 3, 5, 5, 5, 1}),
            (std::vector<double>{1.5, 3.5, 3.5, 5, 7, 7, 7, 1.5}));
  EXPECT_EQ(average_ranks(std::vector<double>{0.0, -0.0, -1}), (std::vector<double>{2.5, 2.5, 1}));
  EXPECT_TRUE(average_ranks({}).empty());
  EXPECT_THROW(average_ranks(std::vector<double>{1, std::nan("")}), InternalError);
}

TEST(Spearman, TiesAreThePublishedCase) {
  const std::string path = SCVET_REFERENCE_DIR "/trial/extra.json";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no reference vectors at " << path;
  const auto item = nlohmann::json::parse(std::ifstream(path)).at("spearman_ties");
  const std::vector<double> a = item.at("a"), b = item.at("b");
  EXPECT_EQ(average_ranks(a), item.at("ranks_a").get<std::vector<double>>());
  EXPECT_NEAR(spearman(a, b), item.at("rho").get<double>(), 1e-14);
}

TEST(Spearman, AConstantSideHasNone) {
  const std::vector<double> a{1, 2, 3}, constant{4, 4, 4};
  EXPECT_TRUE(std::isnan(spearman(a, constant)));
  EXPECT_TRUE(std::isnan(partial_spearman(a, a, constant)));
  EXPECT_TRUE(std::isnan(partial_spearman(a, constant, a)));
}

TEST(PartialSpearman, IsTheCorrelationOfWhatTheThirdLeaves) {
  const std::vector<double> a{1, 2, 3, 4}, b{2, 1, 4, 3}, given{3, 1, 4, 2};
  const double ab = spearman(a, b), ag = spearman(a, given), bg = spearman(b, given);
  EXPECT_DOUBLE_EQ(ab, 0.6);
  EXPECT_DOUBLE_EQ(ag, 0.0);
  EXPECT_DOUBLE_EQ(bg, 0.8);
  EXPECT_DOUBLE_EQ(partial_spearman(a, b, given), 0.6 / std::sqrt(1 - 0.64));
  EXPECT_TRUE(std::isnan(partial_spearman(a, b, a)));
}

}  // namespace
}  // namespace scvet::numeric
