#include "scvet/base/random.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "scvet/base/files.h"

namespace scvet {
namespace {

nlohmann::json reference(const std::string& name) {
  const std::string path = std::string(SCVET_REFERENCE_DIR) + "/audit/" + name;
  if (!std::filesystem::exists(path)) return nullptr;
  return nlohmann::json::parse(read_file(path));
}

TEST(Mix, MatchesThePublishedVectors) {
  const auto vectors = reference("minhash.json");
  if (vectors.is_null()) GTEST_SKIP() << "no audit/minhash.json under " << SCVET_REFERENCE_DIR;
  ASSERT_FALSE(vectors.at("splitmix_check").empty());
  for (const auto& [input, hex] : vectors.at("splitmix_check").items())
    EXPECT_EQ(mix(std::stoull(input)), std::stoull(hex.get<std::string>(), nullptr, 16)) << "mix(" << input << ")";
}

// Slot hash of the sketches, h_i(g) = mix(stream_key(seed, i) ^ g): ties stream_key to the published sketches.
TEST(StreamKey, MakesThePublishedMinHashSlots) {
  const auto vectors = reference("minhash.json");
  if (vectors.is_null()) GTEST_SKIP() << "no audit/minhash.json under " << SCVET_REFERENCE_DIR;
  const auto seed = vectors.at("seed").get<std::uint64_t>();
  const auto& sets = vectors.at("sets");
  for (std::size_t set = 0; set < sets.size(); ++set) {
    const auto& slots = vectors.at("sketch_hex").at(set);
    for (std::size_t slot = 0; slot < slots.size(); ++slot) {
      std::uint64_t least = UINT64_MAX;
      for (const auto& gene : sets[set])
        least = std::min(least, mix(stream_key(seed, slot) ^ gene.get<std::uint64_t>()));
      ASSERT_EQ(least, std::stoull(slots[slot].get<std::string>(), nullptr, 16)) << "set " << set << " slot " << slot;
    }
  }
}

TEST(Stream, EqualsTheSplitMixSequenceFromItsState) {
  // SplitMix64 from state 0 and from 1234567: first outputs of the published generator.
  Stream zero(0);
  EXPECT_EQ(zero.next(), 0xE220A8397B1DCDAFull);
  EXPECT_EQ(zero.next(), 0x6E789E6AA1B965F4ull);
  EXPECT_EQ(zero.next(), 0x06C45D188009454Full);
  Stream other(1234567);
  EXPECT_EQ(other.next(), 6457827717110365317ull);
  EXPECT_EQ(other.next(), 3203168211198807973ull);
}

TEST(Stream, BelowStaysInRangeAndIsUniform) {
  Stream stream(stream_key(42, 1));
  std::array<int, 7> seen{};
  constexpr int kDraws = 70000;
  for (int draw = 0; draw < kDraws; ++draw) {
    const std::uint64_t value = stream.below(7);
    ASSERT_LT(value, 7u);
    ++seen[value];
  }
  // Six degrees of freedom: chi-square above 22.5 has probability .001.
  double chi_square = 0;
  for (const int count : seen) chi_square += (count - 10000.0) * (count - 10000.0) / 10000.0;
  EXPECT_LT(chi_square, 22.5);
}

TEST(Stream, BelowOneIsZeroAndTheLargestRangeKeepsItsTopBits) {
  Stream stream(9);
  for (int draw = 0; draw < 100; ++draw) EXPECT_EQ(stream.below(1), 0u);
  Stream left(9), right(9);
  for (int draw = 0; draw < 100; ++draw) EXPECT_EQ(left.below(std::uint64_t{1} << 63), right.next() >> 1);
}

TEST(Stream, UnitLiesInHalfOpenInterval) {
  Stream stream(1);
  double sum = 0;
  for (int draw = 0; draw < 10000; ++draw) {
    const double value = stream.unit();
    ASSERT_GE(value, 0.0);
    ASSERT_LT(value, 1.0);
    sum += value;
  }
  EXPECT_NEAR(sum / 10000, 0.5, 4 * 0.2887 / 100);
}

TEST(StreamKey, DiffersBetweenSeedsAndDraws) {
  std::set<std::uint64_t> keys;
  for (std::uint64_t seed = 0; seed < 50; ++seed)
    for (std::uint64_t draw = 1; draw <= 50; ++draw) keys.insert(stream_key(seed, draw));
  EXPECT_EQ(keys.size(), 2500u);
}

TEST(Fold, DependsOnTagLengthOrderAndValues) {
  const auto fold = [](std::uint64_t tag, std::initializer_list<std::uint64_t> values) {
    Fold hash(tag, values.size());
    for (const std::uint64_t value : values) hash.add(value);
    return hash.value();
  };
  const std::set<std::uint64_t> distinct = {fold(kTagSet, {1, 2}), fold(kTagOrder, {1, 2}), fold(kTagSet, {2, 1}),
                                            fold(kTagSet, {1}),    fold(kTagSet, {}),       fold(kTagSet, {1, 2, 0})};
  EXPECT_EQ(distinct.size(), 6u);
  EXPECT_EQ(fold(kTagSet, {3, 5}), mix(mix(mix(kTagSet ^ 2) ^ 3) ^ 5));
}

}  // namespace
}  // namespace scvet
