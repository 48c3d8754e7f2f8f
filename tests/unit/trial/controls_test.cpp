#include "scvet/trial/controls.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "scvet/base/digest.h"
#include "trial_vectors.h"

namespace scvet::trial {
namespace {

// Whether two doubles differ by at most `ulps` steps.
bool close(double a, double b, int ulps) {
  for (int step = 0; step < ulps && a != b; ++step) a = std::nextafter(a, b);
  return a == b;
}

TEST(Controls, GaussianRowsAreNumpysWithinFourUlp) {
  SKIP_WITHOUT_TRIAL_VECTORS();
  const scvet::testing::NpyArray wanted = scvet::testing::read_npy(testing::vector_path("synth/gaussian_20260527.npy"));
  const std::vector<double> found = gaussian_rows(wanted.rows(), wanted.cols(), 20260527 + 777);
  ASSERT_EQ(found.size(), wanted.values.size());
  for (std::size_t at = 0; at < found.size(); ++at) EXPECT_TRUE(close(found[at], wanted.values[at], 4)) << at;
}

TEST(Controls, GaussianRowsHaveThePinnedBytes) {
  SKIP_WITHOUT_TRIAL_VECTORS();
  const testing::json wanted = testing::read_json("rng.json")["g_all_first_seed_300x12"];
  const std::vector<double> rows = gaussian_rows(300, 12, 20260527 + 777);
  for (std::size_t col = 0; col < 12; ++col)
    EXPECT_EQ(rows[col], std::strtod(wanted["row0"][col].get<std::string>().c_str(), nullptr)) << col;
  const std::string_view bytes(reinterpret_cast<const char*>(rows.data()), rows.size() * sizeof(double));
  EXPECT_EQ(sha256(bytes), wanted["sha256_unit_le_f64"].get<std::string>());
}

TEST(Controls, ShuffleTakesTheRowsOfTheVectors) {
  SKIP_WITHOUT_TRIAL_VECTORS();
  const testing::json wanted = testing::read_json("synth/shuffle.json");
  const testing::RowTable rows = testing::read_rows("synth/rows.tsv");
  Split split;
  for (const std::string& name : rows.column("split")) split.part.push_back(parse_part(name, "rows.tsv"));
  for (const auto& [seed, entry] : wanted.items())
    EXPECT_EQ(shuffle_sources(split, static_cast<std::uint32_t>(std::stoul(seed)) + 999),
              entry["shuffle_source_row"].get<std::vector<std::int64_t>>())
        << seed;
}

TEST(Controls, ShuffleStaysWithinParts) {
  Split split;
  for (int row = 0; row < 60; ++row) split.part.push_back(kParts[static_cast<std::size_t>(row * 7 % 3)]);
  const std::vector<std::int64_t> source = shuffle_sources(split, 5);
  std::vector<int> used(60, 0);
  for (std::size_t row = 0; row < source.size(); ++row) {
    EXPECT_EQ(split.part[static_cast<std::size_t>(source[row])], split.part[row]);
    ++used[static_cast<std::size_t>(source[row])];
  }
  EXPECT_EQ(used, std::vector<int>(60, 1));
}

TEST(Controls, UnitRowsLeaveZeroRows) {
  std::vector<double> values{3, 4, 0, 0};
  unit_rows({values.data(), 2, 2});
  EXPECT_EQ(values, (std::vector<double>{0.6, 0.8, 0, 0}));
}

}  // namespace
}  // namespace scvet::trial
