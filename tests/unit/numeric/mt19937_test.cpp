#include "scvet/numeric/mt19937.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "scvet/base/digest.h"

namespace scvet::numeric {
namespace {

using nlohmann::json;

class Mt19937Vectors : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string path = SCVET_REFERENCE_DIR "/trial/rng.json";
    if (!std::filesystem::exists(path)) GTEST_SKIP() << "no reference vectors at " << path;
    vectors_ = json::parse(std::ifstream(path));
  }
  json vectors_;
};

std::uint32_t seed_of(const std::string& text) { return static_cast<std::uint32_t>(std::stoul(text)); }

template <typename T>
std::string digest(const std::vector<T>& values) {
  return sha256({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)});
}

TEST_F(Mt19937Vectors, RawNumbersAreThePublishedOnes) {
  for (const auto& [seed, expected] : vectors_.at("u32").items()) {
    Mt19937 stream(seed_of(seed));
    for (const json& value : expected) EXPECT_EQ(stream.next(), value.get<std::uint32_t>());
  }
}

TEST_F(Mt19937Vectors, NormalNumbersAreThePublishedOnesInEveryBit) {
  for (const auto& [seed, expected] : vectors_.at("randn").items()) {
    Mt19937 stream(seed_of(seed));
    std::vector<double> values(20000);
    for (double& value : values) value = stream.randn();
    for (std::size_t at = 0; at < expected.at("first8_hex").size(); ++at)
      EXPECT_EQ(values[at], std::strtod(expected["first8_hex"][at].get<std::string>().c_str(), nullptr));
    EXPECT_EQ(digest(values), expected.at("sha256_of_20000_le_f64").get<std::string>()) << "seed " << seed;
  }
}

TEST_F(Mt19937Vectors, PermutationsAreThePublishedOnes) {
  for (const auto& [seed, sizes] : vectors_.at("permutation").items())
    for (const auto& [size, expected] : sizes.items()) {
      const auto order = Mt19937(seed_of(seed)).permutation(seed_of(size));
      const json& first = expected.is_object() ? expected.at("first16") : expected;
      for (std::size_t at = 0; at < first.size(); ++at) EXPECT_EQ(order[at], first[at].get<std::uint32_t>());
      if (!expected.is_object()) continue;
      const std::vector<std::int64_t> wide(order.begin(), order.end());
      EXPECT_EQ(digest(wide), expected.at("sha256_le_i64").get<std::string>()) << seed << " " << size;
    }
}

TEST_F(Mt19937Vectors, BoundedNumbersAreThePublishedOnes) {
  for (const auto& [seed, sizes] : vectors_.at("randint").items())
    for (const auto& [size, expected] : sizes.items()) {
      Mt19937 stream(seed_of(seed));
      for (const json& value : expected) EXPECT_EQ(stream.bounded(seed_of(size) - 1), value.get<std::uint32_t>());
    }
}

TEST(Mt19937, FillContinuesTheStreamOfSingleDraws) {
  Mt19937 one(5), other(5);
  std::mt19937 standard(5);
  std::vector<std::uint32_t> values(2000);
  for (const std::size_t count : {1u, 623u, 2u, 1999u, 0u, 624u}) {
    other.fill(std::span(values).first(count));
    for (std::size_t at = 0; at < count; ++at) {
      const std::uint32_t expected = static_cast<std::uint32_t>(standard());
      ASSERT_EQ(values[at], expected);
      ASSERT_EQ(one.next(), expected);
    }
  }
}

TEST(Mt19937, TorchPermutationHoldsEveryNumberOnce) {
  const auto order = Mt19937(3).torch_permutation(100);
  EXPECT_EQ(std::set<std::uint32_t>(order.begin(), order.end()).size(), 100u);
  EXPECT_EQ(Mt19937(3).torch_permutation(1), std::vector<std::uint32_t>{0});
}

}  // namespace
}  // namespace scvet::numeric
