#include "scvet/numeric/anderson_darling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "scvet/base/error.h"

namespace scvet::numeric {
namespace {

using nlohmann::json;
const std::string kTrial = SCVET_REFERENCE_DIR "/trial/";

struct Histograms {
  std::vector<std::uint32_t> values;
  std::vector<std::int64_t> f1, f2;
  std::int64_t n1 = 0, n2 = 0;

  void add(std::uint32_t value, std::int64_t first, std::int64_t second) {
    values.push_back(value);
    f1.push_back(first);
    f2.push_back(second);
    n1 += first;
    n2 += second;
  }
  double statistic() const { return AndersonDarling2(n1, n2).statistic(values, f1, f2); }
};

Histograms histograms_of(const std::vector<std::uint32_t>& x, const std::vector<std::uint32_t>& y) {
  std::map<std::uint32_t, std::pair<std::int64_t, std::int64_t>> counts;
  for (const std::uint32_t value : x) ++counts[value].first;
  for (const std::uint32_t value : y) ++counts[value].second;
  Histograms made;
  for (const auto& [value, both] : counts) made.add(value, both.first, both.second);
  return made;
}

void expect_close(double found, double expected) {
  EXPECT_NEAR(found, expected, 1e-12 * std::max(1.0, std::abs(expected)));
}

TEST(AndersonDarling, EqualsScipyOnSmallPairsAndHasNoValueWhereItHasNone) {
  if (!std::filesystem::exists(kTrial)) GTEST_SKIP() << "no reference vectors at " << kTrial;
  int values = 0, without = 0;
  const json cases = json::parse(std::ifstream(kTrial + "ad_cases.json"));
  for (const json& item : cases.at("rows")) {
    SCOPED_TRACE(item.at("name").get<std::string>());
    const double found = histograms_of(item.at("x"), item.at("y")).statistic();
    if (item.at("statistic").is_null()) {
      EXPECT_TRUE(std::isnan(found));
      ++without;
    } else {
      expect_close(found, item.at("statistic"));
      ++values;
    }
  }
  EXPECT_GT(values, 100);
  EXPECT_GT(without, 5);
}

TEST(AndersonDarling, EqualsScipyAgainstALargePool) {
  if (!std::filesystem::exists(kTrial)) GTEST_SKIP() << "no reference vectors at " << kTrial;
  const json cases = json::parse(std::ifstream(kTrial + "ad_large_hist.json"));
  for (const json& item : cases) {
    const json &x = item.at("hist_x"), &y = item.at("hist_y");
    Histograms made;
    for (std::size_t value = 0; value < std::max(x.size(), y.size()); ++value)
      made.add(static_cast<std::uint32_t>(value), value < x.size() ? x[value].get<std::int64_t>() : 0,
               value < y.size() ? y[value].get<std::int64_t>() : 0);
    ASSERT_EQ(made.n1, item.at("n1").get<std::int64_t>());
    ASSERT_EQ(made.n2, item.at("n2").get<std::int64_t>());
    expect_close(made.statistic(), item.at("statistic"));
    expect_close(anderson_sigma(made.n1, made.n2), item.at("sigma"));
  }
}

TEST(AndersonDarling, SigmaIsThePublishedOne) {
  if (!std::filesystem::exists(kTrial)) GTEST_SKIP() << "no reference vectors at " << kTrial;
  const json cases = json::parse(std::ifstream(kTrial + "ad_sigma.json"));
  for (const json& item : cases)
    EXPECT_NEAR(anderson_sigma(item.at("n1"), item.at("n2")), item.at("sigma").get<double>(), 1e-12);
}

TEST(AndersonDarling, WhatIsTooSmallOrEqualHasNoValue) {
  const auto with = [](std::int64_t a0, std::int64_t b0, std::int64_t a1, std::int64_t b1) {
    Histograms made;
    made.add(0, a0, b0);
    made.add(3, a1, b1);
    return made.statistic();
  };
  EXPECT_TRUE(std::isnan(with(0, 5, 0, 2)));  // an empty sample
  EXPECT_TRUE(std::isnan(with(1, 0, 0, 1)));  // N = 2
  EXPECT_TRUE(std::isnan(with(1, 1, 0, 1)));  // N = 3
  EXPECT_TRUE(std::isnan(with(4, 9, 0, 0)));  // one value
  EXPECT_TRUE(std::isfinite(with(1, 1, 1, 1)));
}

TEST(AndersonDarling, ValuesThatNobodyHasAndTheirScaleDoNotMatter) {
  Histograms plain, spread;
  plain.add(0, 5, 20);
  plain.add(1, 3, 1);
  plain.add(2, 1, 0);
  spread.add(0, 5, 20);
  spread.add(4, 0, 0);
  spread.add(7, 3, 1);
  spread.add(900, 1, 0);
  EXPECT_EQ(plain.statistic(), spread.statistic());
}

TEST(AndersonDarling, TheTwoSamplesAreExchangeable) {
  Histograms one, other;
  one.add(0, 50, 20);
  one.add(1, 3, 11);
  other.add(0, 20, 50);
  other.add(1, 11, 3);
  EXPECT_NEAR(one.statistic(), other.statistic(), 1e-13);
}

TEST(AndersonDarling, CountsThatDoNotAddUpAreAFault) {
  const std::vector<std::uint32_t> values{0, 1};
  const std::vector<std::int64_t> f1{2, 2}, f2{3, 3};
  EXPECT_THROW(AndersonDarling2(4, 7).statistic(values, f1, f2), InternalError);
}

}  // namespace
}  // namespace scvet::numeric
