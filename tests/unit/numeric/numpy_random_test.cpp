#include "scvet/numeric/numpy_random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "scvet/base/error.h"
#include "scvet/numeric/mt19937.h"

namespace scvet::numeric {
namespace {

using nlohmann::json;
using Numbers = std::vector<std::uint32_t>;

class NumpyVectors : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string path = SCVET_REFERENCE_DIR "/benchmark/expected/rng.json";
    if (!std::filesystem::exists(path)) GTEST_SKIP() << "no reference vectors at " << path;
    const json vectors = json::parse(std::ifstream(path));
    for (const auto& [name, values] : vectors.items()) {
      if (name.starts_with("default_rng(")) generators_.emplace_back(std::stoull(name.substr(12)), values);
      if (name == "RandomState(42).shuffle(arange(12))") shuffled_ = values.get<Numbers>();
    }
    ASSERT_EQ(generators_.size(), 3u);
  }
  std::vector<std::pair<std::uint64_t, json>> generators_;
  Numbers shuffled_;
};

TEST_F(NumpyVectors, RawNumbersAreNumpys) {
  for (const auto& [seed, expected] : generators_) {
    NumpyRandom random(seed);
    for (const json& value : expected.at("raw_u64"))
      EXPECT_EQ(random.next64(), std::stoull(value.get<std::string>())) << "seed " << seed;
  }
}

TEST_F(NumpyVectors, BoundedNumbersAreNumpysAndKeepTheHalfOfOneCallForTheNext) {
  for (const auto& [seed, expected] : generators_) {
    NumpyRandom random(seed);
    EXPECT_EQ(random.integers(2000, 12), expected.at("integers[0,2000) x12").get<Numbers>()) << "seed " << seed;
    EXPECT_EQ(random.integers(7, 5), expected.at("then integers[0,7) x5 (same generator)").get<Numbers>());
  }
}

TEST_F(NumpyVectors, ChoicesWithoutReplacementAreNumpysBySetAndByShuffling) {
  for (const auto& [seed, expected] : generators_) {
    EXPECT_EQ(NumpyRandom(seed).choose(2000, 8), expected.at("choice(2000,8,no replacement)").get<Numbers>());
    Numbers many = NumpyRandom(seed).choose(30000, 20000);
    EXPECT_EQ(std::set<std::uint32_t>(many.begin(), many.end()).size(), many.size());
    many.resize(6);
    EXPECT_EQ(many, expected.at("choice(30000,20000,no replacement)[:6]").get<Numbers>()) << "seed " << seed;
  }
}

TEST_F(NumpyVectors, ThePermutationOfTheFoldsIsRandomStates) { EXPECT_EQ(Mt19937(42).permutation(12), shuffled_); }

TEST(NumpyRandom, AHalfIsKeptOverA64BitNumber) {
  NumpyRandom whole(5), halves(5);
  const std::uint64_t first = whole.next64(), second = whole.next64();
  EXPECT_EQ(halves.next32(), static_cast<std::uint32_t>(first));
  EXPECT_EQ(halves.next64(), second);
  EXPECT_EQ(halves.next32(), static_cast<std::uint32_t>(first >> 32));
}

TEST(NumpyRandom, OneCandidateDrawsNothing) {
  NumpyRandom drawn(9), untouched(9);
  EXPECT_EQ(drawn.below(1), 0u);
  EXPECT_EQ(drawn.choose(1, 1), Numbers{0});
  EXPECT_EQ(drawn.next64(), untouched.next64());
}

TEST(NumpyRandom, ASeedOf64BitsDiffersFromItsLowHalf) {
  EXPECT_NE(NumpyRandom(1).next64(), NumpyRandom((std::uint64_t{1} << 32) | 1).next64());
}

TEST(NumpyRandom, ChoosingAllIsAPermutationOnBothSidesOfTheSwitch) {
  for (const std::uint32_t n : {5u, 10000u, 10001u}) {
    Numbers all = NumpyRandom(3).choose(n, n), expected(n);
    EXPECT_FALSE(std::is_sorted(all.begin(), all.end()));
    std::sort(all.begin(), all.end());
    std::iota(expected.begin(), expected.end(), 0u);
    EXPECT_EQ(all, expected);
  }
  EXPECT_EQ(NumpyRandom(3).choose(10, 0), Numbers{});
  EXPECT_THROW(NumpyRandom(3).choose(4, 5), InternalError);
}

}  // namespace
}  // namespace scvet::numeric
