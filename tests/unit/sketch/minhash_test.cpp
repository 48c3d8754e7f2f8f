#include "scvet/sketch/minhash.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>

#include "scvet/base/files.h"
#include "scvet/base/random.h"

namespace scvet::sketch {
namespace {

const std::string kVectors = std::string(SCVET_REFERENCE_DIR) + "/audit/minhash.json";

// The published sets over tokens 0..25425, with the slots that an independent program found.
struct Vectors {
  nlohmann::json json = nlohmann::json::parse(read_file(kVectors));
  std::vector<std::vector<std::uint32_t>> sets = json["sets"].get<std::vector<std::vector<std::uint32_t>>>();
  std::uint64_t seed = json["seed"];
  Sketch expected(std::size_t set) const {
    Sketch sketch;
    for (std::size_t slot = 0; slot < kSlots; ++slot)
      sketch[slot] = std::stoull(json["sketch_hex"][set][slot].get<std::string>(), nullptr, 16);
    return sketch;
  }
};

Sketch direct(const std::vector<std::uint32_t>& set, std::uint64_t seed) {
  const std::vector<std::uint64_t> genes(set.begin(), set.end());
  return minhash(genes, seed);
}

class MinHashVectors : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kVectors)) GTEST_SKIP() << "no " << kVectors;
  }
};

TEST_F(MinHashVectors, SlotsEqualThePublishedOnes) {
  const Vectors vectors;
  ASSERT_GE(vectors.sets.size(), 9u);
  for (std::size_t set = 0; set < vectors.sets.size(); ++set)
    EXPECT_EQ(direct(vectors.sets[set], vectors.seed), vectors.expected(set)) << "set " << set;
}

TEST_F(MinHashVectors, SketchingOverAPanelGivesTheSameSlots) {
  const Vectors vectors;
  std::vector<std::uint64_t> keys(vectors.json["vocab"].get<std::size_t>());
  std::iota(keys.begin(), keys.end(), 0u);
  const MinHasher hasher(keys, vectors.seed);
  MinHasher::Scratch scratch;
  Sketch sketch;
  for (std::size_t set = 0; set < vectors.sets.size(); ++set) {
    hasher.sketch(vectors.sets[set], scratch, sketch);
    EXPECT_EQ(sketch, vectors.expected(set)) << "set " << set;
  }
}

TEST_F(MinHashVectors, EstimatesBytesAndBandsEqualThePublishedOnes) {
  const Vectors vectors;
  for (const auto& pair : vectors.json["pairs"]) {
    const Sketch a = vectors.expected(pair["i"]), b = vectors.expected(pair["j"]);
    EXPECT_EQ(estimate_jaccard(a, b), pair["est64"].get<double>());
    EXPECT_EQ(equal_bytes(low_bytes(a), low_bytes(b)), pair["eq8"].get<int>());
    EXPECT_EQ(equal_bands(a, b), pair["bands_hit"].get<int>());
  }
}

TEST(MinHash, EmptySetHasTheLargestValueInEverySlot) {
  const Sketch sketch = minhash({}, 1);
  EXPECT_TRUE(std::all_of(sketch.begin(), sketch.end(), [](std::uint64_t slot) { return slot == ~std::uint64_t{0}; }));
}

// Cells from one gene to all of a panel, so that look-ups, hashing and a list that runs out are all met.
TEST(MinHash, PanelSketchesEqualDirectOnesForCellsOfEverySize) {
  constexpr std::uint32_t kGenes = 20000;
  std::vector<std::uint64_t> keys(kGenes);
  for (std::uint32_t gene = 0; gene < kGenes; ++gene) keys[gene] = mix(gene + 77);
  const MinHasher hasher(keys, kStoreSeed);
  MinHasher::Scratch scratch;
  Stream random(5);
  for (const std::uint32_t size : {0u, 1u, 19u, 141u, 142u, 150u, 400u, 3000u, kGenes}) {
    std::vector<std::uint32_t> tokens(kGenes);
    std::iota(tokens.begin(), tokens.end(), 0u);
    for (std::uint32_t at = 0; at < size; ++at) std::swap(tokens[at], tokens[at + random.below(kGenes - at)]);
    tokens.resize(size);
    std::vector<std::uint64_t> genes;
    for (const std::uint32_t token : tokens) genes.push_back(keys[token]);
    Sketch sketch;
    hasher.sketch(tokens, scratch, sketch);
    EXPECT_EQ(sketch, minhash(genes, kStoreSeed)) << size << " genes";
  }
}

TEST(MinHash, ByteEstimateOfChanceMatchesIsNearZeroAndNeverBelow) {
  LowBytes a{}, b{};
  a.fill(1);
  b.fill(2);
  EXPECT_EQ(estimate_jaccard(a, b), 0.0);
  EXPECT_EQ(estimate_jaccard(a, a), 1.0);
}

}  // namespace
}  // namespace scvet::sketch
