#include "scvet/numeric/ranks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

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

}  // namespace
}  // namespace scvet::numeric
