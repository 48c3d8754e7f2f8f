#include "scvet/metrics/silhouette.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "naive_lists.h"
#include "scvet/base/parallel.h"

namespace scvet::metrics {
namespace {

double naive_silhouette(MatrixView<const float> x, const Groups& labels, std::int64_t cell) {
  const auto counts = labels.counts();
  const std::int32_t own = labels.of_cell[static_cast<std::size_t>(cell)];
  if (counts[static_cast<std::size_t>(own)] == 1) return 0;
  double a = 0, b = std::numeric_limits<double>::infinity();
  for (std::int32_t label = 0; label < labels.size(); ++label) {
    double sum = 0;
    for (std::int64_t other = 0; other < x.rows; ++other)
      if (labels.of_cell[static_cast<std::size_t>(other)] == label) sum += testing::distance(x, cell, other);
    const auto count = static_cast<double>(counts[static_cast<std::size_t>(label)]);
    if (label == own)
      a = sum / (count - 1);
    else
      b = std::min(b, sum / count);
  }
  return std::max(a, b) == 0 ? 0 : (b - a) / std::max(a, b);
}

TEST(Silhouette, EqualsTheNaiveLoopAcrossBlocksAndTiles) {
  for (const std::int64_t n : {3, 64, 65, 300, 800}) {
    const testing::Cloud cloud(n, 5, 3, 1.5, 1);
    const auto found = silhouettes(cloud.x, cloud.labels);
    for (std::int64_t cell = 0; cell < n; cell += 1 + n / 100)
      ASSERT_NEAR(found[static_cast<std::size_t>(cell)], naive_silhouette(cloud.x, cloud.labels, cell), 1e-12) << n;
  }
}

TEST(Silhouette, WorkedByHand) {
  const std::vector<float> x{0, 1, 5, 100};
  const std::vector<std::string> texts{"a", "a", "b", "c"};
  const auto found = silhouettes({x.data(), 4, 1}, make_groups(texts));
  EXPECT_DOUBLE_EQ(found[0], 0.8);   // a = 1, b = 5
  EXPECT_DOUBLE_EQ(found[1], 0.75);  // a = 1, b = 4
  EXPECT_EQ(found[2], 0);            // alone
  EXPECT_EQ(found[3], 0);
}

TEST(Silhouette, EqualCellsScoreExactlyZero) {
  const std::vector<float> x(60 * 8, 0.1f);
  std::vector<std::string> texts;
  for (int cell = 0; cell < 60; ++cell) texts.push_back(cell % 2 == 0 ? "a" : "b");
  EXPECT_EQ(silhouettes({x.data(), 60, 8}, make_groups(texts)), std::vector<double>(60, 0.0));
}

TEST(Silhouette, OneLabelIsUndefinedAndAnUnlabelledCellIsLeftOut) {
  const testing::Cloud cloud(90, 4, 2, 1, 2);
  for (const double value : silhouettes(cloud.x, make_groups(std::vector<std::string>(90, "a"))))
    EXPECT_TRUE(std::isnan(value));
  std::vector<std::string> texts;
  for (std::int64_t cell = 0; cell < 90; ++cell) texts.push_back(cell >= 80 ? "" : cell % 2 == 0 ? "a" : "b");
  const auto found = silhouettes(cloud.x, make_groups(texts));
  texts.resize(80);
  const auto without = silhouettes({cloud.x.data, 80, 4}, make_groups(texts));
  for (std::size_t cell = 0; cell < 80; ++cell) EXPECT_EQ(found[cell], without[cell]);
  for (std::size_t cell = 80; cell < 90; ++cell) EXPECT_TRUE(std::isnan(found[cell]));
}

TEST(Silhouette, TheNumberOfWorkersChangesNoByte) {
  const testing::Cloud cloud(1500, 6, 7, 1, 3);
  set_workers(1);
  const auto one = silhouettes(cloud.x, cloud.labels);
  for (const int count : {2, 3}) {
    set_workers(count);
    EXPECT_EQ(silhouettes(cloud.x, cloud.labels), one) << count;
  }
  set_workers(0);
}

}  // namespace
}  // namespace scvet::metrics
