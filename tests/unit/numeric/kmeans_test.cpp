#include "scvet/numeric/kmeans.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "kmeans_lloyd.h"
#include "kmeans_seeds.h"
#include "scvet/base/parallel.h"
#include "scvet/base/random.h"

namespace scvet::numeric {
namespace {

// Rows around `n_centres` corners of a cube, noise uniform.
std::vector<float> blobs(std::int64_t n, std::int64_t d, std::int64_t n_centres, double noise, std::uint64_t seed) {
  Stream stream(seed);
  std::vector<float> x;
  for (std::int64_t row = 0; row < n; ++row)
    for (std::int64_t col = 0; col < d; ++col)
      x.push_back(static_cast<float>((col % n_centres == row % n_centres ? 2 : 0) + noise * (stream.unit() - .5)));
  return x;
}

double squared(MatrixView<const float> x, std::int64_t row, const double* centre) {
  double sum = 0;
  for (std::int64_t col = 0; col < x.cols; ++col)
    sum += (static_cast<double>(x(row, col)) - centre[col]) * (static_cast<double>(x(row, col)) - centre[col]);
  return sum;
}

// Every row against every centre in every iteration.
double plain_lloyd_inertia(MatrixView<const float> x, const std::vector<std::int64_t>& seeds) {
  const auto k = seeds.size();
  std::vector<double> centres;
  for (const std::int64_t row : seeds) centres.insert(centres.end(), x.row(row), x.row(row) + x.cols);
  const auto d = static_cast<std::size_t>(x.cols);
  std::vector<std::size_t> cluster(static_cast<std::size_t>(x.rows), k);
  for (double inertia = 0;; inertia = 0) {
    bool moved = false;
    std::vector<double> sums(k * d, 0.0), counts(k, 0.0);
    for (std::int64_t row = 0; row < x.rows; ++row) {
      double least = std::numeric_limits<double>::infinity();
      std::size_t best = 0;
      for (std::size_t to = 0; to < k; ++to)
        if (const double found = squared(x, row, centres.data() + to * d); found < least) {
          least = found;
          best = to;
        }
      inertia += least;
      moved |= cluster[static_cast<std::size_t>(row)] != best;
      cluster[static_cast<std::size_t>(row)] = best;
      ++counts[best];
      for (std::size_t col = 0; col < d; ++col) sums[best * d + col] += static_cast<double>(x.row(row)[col]);
    }
    if (!moved) return inertia;
    for (std::size_t to = 0; to < k; ++to)
      for (std::size_t col = 0; col < d; ++col) centres[to * d + col] = sums[to * d + col] / counts[to];
  }
}

TEST(KMeans, BoundsChangeNothingAgainstPlainIterations) {
  for (const std::int64_t k : {1, 2, 7, 12}) {
    const auto values = blobs(500, 6, 5, 3, static_cast<std::uint64_t>(k));
    const MatrixView<const float> x(values.data(), 500, 6);
    const auto seeds = kmeans_seeds(x, k, 1, 3).front();
    const Lloyd found = lloyd(x, seeds, 10'000, 0);
    EXPECT_NEAR(found.inertia, plain_lloyd_inertia(x, seeds), 1e-9 * found.inertia) << k;
  }
}

TEST(KMeans, FindsSeparateGroupsAndNumbersThemBySize) {
  std::vector<float> values = blobs(300, 4, 3, .2, 1);
  values.resize(280 * 4);  // 94, 93 and 93 rows
  const KMeans found = kmeans({values.data(), 280, 4}, 3);
  ASSERT_EQ(found.n_clusters, 3);
  for (std::size_t row = 0; row < 280; ++row) ASSERT_EQ(found.cluster[row], static_cast<std::int32_t>(row % 3));
}

TEST(KMeans, InertiaIsTheSumOverTheCentresGiven) {
  const auto values = blobs(400, 5, 5, 4, 2);
  const MatrixView<const float> x(values.data(), 400, 5);
  const KMeans found = kmeans(x, 6);
  double sum = 0;
  for (std::int64_t row = 0; row < 400; ++row) {
    const auto own = static_cast<std::size_t>(found.cluster[static_cast<std::size_t>(row)]);
    sum += squared(x, row, found.centres.data() + own * 5);
    for (std::size_t to = 0; to < 6; ++to)
      ASSERT_GE(squared(x, row, found.centres.data() + to * 5), squared(x, row, found.centres.data() + own * 5));
  }
  EXPECT_NEAR(found.inertia, sum, 1e-9 * sum);
}

TEST(KMeans, MoreRestartsAreNeverWorse) {
  const auto values = blobs(300, 8, 8, 5, 3);
  const MatrixView<const float> x(values.data(), 300, 8);
  double before = std::numeric_limits<double>::infinity();
  for (const int restarts : {1, 3, 10}) {
    const double inertia = kmeans(x, 9, {.restarts = restarts}).inertia;
    EXPECT_LE(inertia, before);
    before = inertia;
  }
}

TEST(KMeans, EqualRowsGiveOneClusterAndFewDistinctRowsGiveThese) {
  const std::vector<float> same(20 * 3, 1.5f);
  const KMeans one = kmeans({same.data(), 20, 3}, 4);
  EXPECT_EQ(one.n_clusters, 1);
  EXPECT_EQ(one.cluster, std::vector<std::int32_t>(20, 0));
  EXPECT_EQ(one.inertia, 0);
  const std::vector<float> two{0, 0, 0, 7, 7};
  EXPECT_EQ(kmeans({two.data(), 5, 1}, 4).cluster, (std::vector<std::int32_t>{0, 0, 0, 1, 1}));
  EXPECT_EQ(kmeans({two.data(), 1, 1}, 4).n_clusters, 1);
}

// Both seeds in one of two far groups, a third one that no row is nearest to.
TEST(KMeans, ACentreWithoutRowsTakesTheFarthestRow) {
  const std::vector<float> x{0, 1, 2, 100, 101, 1};
  const Lloyd found = lloyd({x.data(), 6, 1}, {1, 5, 3}, 300, 0);  // rows 1 and 5 are equal
  std::vector<std::int32_t> sorted = found.cluster;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  EXPECT_EQ(sorted.size(), 3u);
  EXPECT_LE(found.inertia, 2.0 / 3 + 1.0 / 2 + 1e-12);
}

TEST(KMeans, SeedsAreDistinctRowsWhereThereAreEnough) {
  const auto values = blobs(50, 3, 3, 1, 4);
  for (const auto& seeds : kmeans_seeds({values.data(), 50, 3}, 50, 4, 1)) {
    std::vector<std::int64_t> sorted = seeds, all(50);
    std::sort(sorted.begin(), sorted.end());
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(sorted, all);
  }
}

TEST(KMeans, TheNumberOfWorkersChangesNoByte) {
  const auto values = blobs(1000, 7, 6, 4, 5);
  const MatrixView<const float> x(values.data(), 1000, 7);
  set_workers(1);
  const KMeans one = kmeans(x, 11);
  set_workers(3);
  const KMeans three = kmeans(x, 11);
  set_workers(0);
  EXPECT_EQ(one.cluster, three.cluster);
  EXPECT_EQ(one.centres, three.centres);
  EXPECT_EQ(one.inertia, three.inertia);
}

}  // namespace
}  // namespace scvet::numeric
