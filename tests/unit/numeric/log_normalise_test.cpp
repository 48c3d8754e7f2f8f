#include "scvet/numeric/log_normalise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "scvet/base/error.h"
#include "scvet/base/parallel.h"
#include "sparse_rows.h"

namespace scvet::numeric {
namespace {

TEST(LogNormalise, IsTheLogarithmOfCountsPerTenThousand) {
  const SparseRows counts = SparseRows::random(700, 90, 1);
  const std::vector<float> logs = log_normalise(counts.view());
  ASSERT_EQ(logs.size(), counts.values.size());
  for (std::int64_t row = 0; row < 700; ++row) {
    double sum = 0;
    for (const float value : counts.view().row_values(row)) sum += value;
    for (std::int64_t at = counts.indptr[static_cast<std::size_t>(row)];
         at < counts.indptr[static_cast<std::size_t>(row) + 1]; ++at)
      ASSERT_FLOAT_EQ(logs[static_cast<std::size_t>(at)],
                      static_cast<float>(std::log1p(counts.values[static_cast<std::size_t>(at)] / (sum / 1e4))));
  }
}

TEST(LogNormalise, FractionsLargeCountsAndStoredZerosAreLookedUpNowhere) {
  SparseRows counts(3);
  counts.add({{0, .5F}, {1, 0}, {2, 99.5F}});
  counts.add({{0, 70'000}, {2, 64}});
  counts.add({});
  const std::vector<float> logs = log_normalise(counts.view());
  EXPECT_FLOAT_EQ(logs[0], std::log1p(50.0F));
  EXPECT_EQ(logs[1], 0);
  EXPECT_FLOAT_EQ(logs[2], std::log1p(9950.0F));
  EXPECT_FLOAT_EQ(logs[3], static_cast<float>(std::log1p(70'000 / (70'064 / 1e4))));
  EXPECT_FLOAT_EQ(logs[4], static_cast<float>(std::log1p(64 / (70'064 / 1e4))));
}

TEST(LogNormalise, ValuesThatAreNoCountsAreRefusedWithTheirCell) {
  for (const float bad : {-1.0F, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    SparseRows counts(2);
    counts.add({{0, 1}});
    counts.add({{1, bad}});
    try {
      row_sums(counts.view());
      FAIL() << bad;
    } catch (const DataError& error) {
      EXPECT_EQ(error.facts().row, 1);
      EXPECT_EQ(error.facts().reason, "not_counts");
    }
  }
}

TEST(LogNormalise, GivesTheSameBytesForAnyNumberOfWorkers) {
  const SparseRows counts = SparseRows::random(1'000, 40, 2);
  set_workers(1);
  const auto one = log_normalise(counts.view());
  set_workers(3);
  EXPECT_EQ(log_normalise(counts.view()), one);
  set_workers(0);
}

}  // namespace
}  // namespace scvet::numeric
