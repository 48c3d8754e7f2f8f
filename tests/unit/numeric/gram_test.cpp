#include "scvet/numeric/gram.h"

#include <gtest/gtest.h>

#include <cmath>

#include "scvet/base/parallel.h"
#include "scvet/numeric/mt19937.h"

namespace scvet::numeric {
namespace {

std::vector<float> normal(std::int64_t rows, std::int64_t cols, std::uint32_t seed) {
  Mt19937 random(seed);
  std::vector<float> values(static_cast<std::size_t>(rows * cols));
  for (float& value : values) value = static_cast<float>(random.randn() + 1);
  return values;
}

TEST(Gram, IsTheSumOverRowsWithAndWithoutCentre) {
  for (const std::int64_t cols : {1, 7, 193, 260}) {
    const std::int64_t rows = 150;
    const std::vector<float> values = normal(rows, cols, 3);
    const MatrixView<const float> x(values.data(), rows, cols);
    const std::vector<double> means = column_means(x), plain = gram(x), centred = gram(x, means);
    for (std::int64_t left = 0; left < cols; ++left)
      for (std::int64_t right = 0; right < cols; ++right) {
        double sum = 0, around = 0;
        for (std::int64_t row = 0; row < rows; ++row) {
          sum += double{x(row, left)} * double{x(row, right)};
          around += (double{x(row, left)} - means[static_cast<std::size_t>(left)]) *
                    (double{x(row, right)} - means[static_cast<std::size_t>(right)]);
        }
        const auto at = static_cast<std::size_t>(left * cols + right);
        ASSERT_NEAR(plain[at], sum, 1e-10) << left << " " << right;
        ASSERT_NEAR(centred[at], around, 1e-10) << left << " " << right;
      }
  }
}

TEST(Gram, ReadsRowsOfAWiderMatrix) {
  const std::vector<float> values = {1, 2, 90, 3, 4, 91};
  EXPECT_EQ(gram({values.data(), 2, 2, 3}), (std::vector<double>{10, 14, 14, 20}));
  EXPECT_EQ(column_means({values.data(), 2, 2, 3}), (std::vector<double>{2, 3}));
}

TEST(Gram, IsTheSameForAnyNumberOfWorkers) {
  const std::vector<float> values = normal(300, 400, 5);
  set_workers(1);
  const std::vector<double> one = gram({values.data(), 300, 400});
  set_workers(3);
  EXPECT_EQ(gram({values.data(), 300, 400}), one);
  set_workers(0);
}

TEST(Gram, WithoutRowsIsZeroAndHasNoMeans) {
  EXPECT_EQ(gram({nullptr, 0, 2}), (std::vector<double>{0, 0, 0, 0}));
  EXPECT_TRUE(std::isnan(column_means({nullptr, 0, 1})[0]));
}

}  // namespace
}  // namespace scvet::numeric
