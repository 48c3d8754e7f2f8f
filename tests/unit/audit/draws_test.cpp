#include "draws.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

namespace scvet::audit {
namespace {

using nlohmann::json;

json read_vector(const char* name) {
  std::ifstream file(std::string(SCVET_REFERENCE_DIR "/audit/") + name);
  return json::parse(file);
}
bool have(const char* name) { return std::filesystem::exists(std::string(SCVET_REFERENCE_DIR "/audit/") + name); }

TEST(Draws, UniformSetsAreThePublishedOnes) {
  if (!have("draws.json")) GTEST_SKIP() << "no " SCVET_REFERENCE_DIR "/audit/draws.json";
  const json vector = read_vector("draws.json");
  UniformDraws draws(3000, vector["seed"].get<std::uint64_t>());  // tokens 2..3001 of the vector
  std::vector<std::uint16_t> tokens;
  for (const auto& [size, sets] : vector["uniform"].items())
    for (std::size_t b = 0; b < sets.size(); ++b) {
      draws.draw(static_cast<std::uint32_t>(std::stoul(size)), b + 1, tokens);
      for (std::uint16_t& token : tokens) token = static_cast<std::uint16_t>(token + 2);
      EXPECT_EQ(tokens, sets[b].get<std::vector<std::uint16_t>>()) << "size " << size << ", draw " << b + 1;
    }
}

TEST(Draws, ParetoProbabilitiesAndSetsAreThePublishedOnes) {
  if (!have("pareto.json")) GTEST_SKIP() << "no " SCVET_REFERENCE_DIR "/audit/pareto.json";
  const json vector = read_vector("draws.json"), pareto = read_vector("pareto.json");
  const auto frequency = pareto["freq"].get<std::vector<double>>();
  const ParetoDraws draws(frequency, vector["n_ref"].get<std::int64_t>(), vector["seed"].get<std::uint64_t>());
  for (const auto& [text, target] : pareto["targets"].items()) {
    const auto n = static_cast<std::uint32_t>(std::stoul(text));
    const ParetoDraws::Inclusion size = draws.inclusion(n);
    EXPECT_NEAR(size.shift, target["c"].get<double>(), 1e-8) << text;
    EXPECT_NEAR(std::accumulate(size.p.begin(), size.p.end(), 0.0), n, 1e-8) << text;
    // Of the genes that can be drawn.
    for (std::size_t gene = 0; gene < target["p_first_10"].size(); ++gene) {
      EXPECT_NEAR(size.p[gene], target["p_first_10"][gene].get<double>(), 1e-8) << text << ", gene " << gene;
    }
  }
  ParetoDraws::Scratch scratch;
  std::vector<std::uint16_t> tokens;
  for (const auto& [text, sets] : vector["pareto"].items()) {
    for (std::size_t b = 0; b < sets.size(); ++b) {
      draws.draw(static_cast<std::uint32_t>(std::stoul(text)), b + 1, scratch, tokens);
      EXPECT_EQ(tokens, sets[b].get<std::vector<std::uint16_t>>()) << "size " << text << ", draw " << b + 1;
    }
  }
}

TEST(Draws, AUniformDrawDependsOnSizeAndNumberAloneAndHoldsEveryGeneEquallyOften) {
  UniformDraws one(40, 7), other(40, 7);
  std::vector<std::uint16_t> first, again;
  one.draw(10, 3, first);
  other.draw(25, 1, again);
  other.draw(10, 3, again);
  EXPECT_EQ(first, again);
  std::vector<int> held(40, 0);
  constexpr int kDraws = 4000;
  for (int b = 1; b <= kDraws; ++b) {
    one.draw(10, static_cast<std::uint64_t>(b), first);
    ASSERT_EQ(std::set<std::uint16_t>(first.begin(), first.end()).size(), 10u);
    for (const std::uint16_t token : first) ++held[token];
  }
  const double expected = kDraws / 4.0, sd = std::sqrt(kDraws * .25 * .75);
  for (const int count : held) EXPECT_NEAR(count, expected, 4.5 * sd);
  one.draw(40, 1, first);
  EXPECT_EQ(first.size(), 40u);
}

TEST(Draws, ParetoDrawsHaveTheirSizeAndFollowTheirProbabilities) {
  std::vector<double> frequency;
  for (int gene = 0; gene < 60; ++gene) frequency.push_back(gene % 3 == 0 ? 0 : gene / 60.0);
  const ParetoDraws draws(frequency, 1000, 9);
  EXPECT_EQ(draws.n_genes(), 40u);
  const ParetoDraws::Inclusion size = draws.inclusion(12);
  ParetoDraws::Scratch scratch;
  std::vector<std::uint16_t> tokens;
  std::vector<int> held(60, 0);
  constexpr int kDraws = 4000;
  for (std::uint64_t b = 1; b <= kDraws; ++b) {
    draws.draw(12, b, scratch, tokens);
    ASSERT_EQ(tokens.size(), 12u);
    for (const std::uint16_t token : tokens) ++held[token];
  }
  for (std::size_t at = 0; at < draws.tokens().size(); ++at) {
    const double p = size.p[at];  // met closely, not exactly, by Pareto sampling
    EXPECT_NEAR(held[draws.tokens()[at]] / double{kDraws}, p, .01 + 4.5 * std::sqrt(p * (1 - p) / kDraws));
  }
  for (int gene = 0; gene < 60; gene += 3) EXPECT_EQ(held[static_cast<std::size_t>(gene)], 0);
  draws.draw(40, 1, scratch, tokens);
  EXPECT_EQ(tokens.size(), 40u);
}

}  // namespace
}  // namespace scvet::audit
