#include "scvet/numeric/exact_log.h"

#include <gtest/gtest.h>

#include <bit>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/cpp_dec_float.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "exact_log_slow.h"
#include "exact_log_table.h"
#include "scvet/base/error.h"
#include "scvet/base/random.h"

namespace scvet::numeric {
namespace {

using Wide = boost::multiprecision::cpp_bin_float_100;

double number(const nlohmann::json& text) { return std::strtod(text.get<std::string>().c_str(), nullptr); }

TEST(ExactLog, EqualsThePublishedCasesInEveryBit) {
  const std::string path = SCVET_REFERENCE_DIR "/trial/rng.json";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no reference vectors at " << path;
  const auto cases = nlohmann::json::parse(std::ifstream(path)).at("log_cases");
  ASSERT_GT(cases.size(), 30u);
  for (const auto& item : cases) {
    EXPECT_EQ(exact_log(number(item.at(0))), number(item.at(1))) << item.dump();
    EXPECT_EQ(exact_log1p(number(item.at(0))), number(item.at(2))) << item.dump();
  }
}

// The C library's 64-bit logarithm, to one unit in its last place, tells the nearest double in all but about one case in
// 250; those are decided with 100 digits.
TEST(ExactLog, IsTheNearestDoubleOnManyRandomNumbers) {
  Stream stream(9);
  int decided = 0;
  const auto expect_nearest = [&](double x) {
    const long double wide = std::log(static_cast<long double>(x)), unit = std::abs(wide) * 0x1p-62L;
    const double low = static_cast<double>(wide - unit), high = static_cast<double>(wide + unit);
    if (low != high) ++decided;
    ASSERT_EQ(exact_log(x), low == high ? low : log(Wide(x)).convert_to<double>()) << x;
  };
  for (int round = 0; round < 100'000; ++round) {
    expect_nearest(std::bit_cast<double>(1 + stream.below(0x7fefffffffffffff)));  // every magnitude, subnormals too
    expect_nearest(1 + std::ldexp(stream.unit(), 14));                            // what features hold
    expect_nearest(0.9 + 0.2 * stream.unit());
  }
  EXPECT_GT(decided, 300);
}

// Another library and number base than those of the fall-back.
TEST(ExactLog, FallBackIsTheNearestDouble) {
  using Decimal = boost::multiprecision::cpp_dec_float_100;
  Stream stream(10);
  // The hardest argument of all (Lefevre and Muller): 64 zeros or so follow the bit that rounds.
  std::vector<double> cases{0x1.62a88613629b6p+678, 0x1.0000000000001p+0, 0x1.fffffffffffffp-1, 5e-324, 1e308};
  for (int round = 0; round < 200; ++round)
    cases.push_back(1 + std::ldexp(stream.unit() - 0.5, -static_cast<int>(stream.below(50))));
  for (const double x : cases) {
    const double found = exact_log_slow(x);
    EXPECT_EQ(exact_log(x), found) << x;
    const Decimal exact = log(Decimal(x)), distance = abs(exact - found);  // its own conversion to double is not exact
    EXPECT_LT(distance, abs(exact - std::nextafter(found, 1e9))) << x;
    EXPECT_LT(distance, abs(exact - std::nextafter(found, -1e9))) << x;
  }
}

TEST(ExactLog, TableHoldsTheLogarithmsOfItsReciprocals) {
  for (const LogInterval& interval : kLogTable) {
    const Wide exact = -log(Wide(interval.reciprocal));
    EXPECT_LE(abs(Wide(interval.minus_log_high) + interval.minus_log_low - exact), abs(exact) * 0x1p-105);
    EXPECT_EQ(interval.reciprocal * 512, std::round(interval.reciprocal * 512));
  }
  EXPECT_LE(abs(Wide(kLn2High) + kLn2Low - log(Wide(2))), 0x1p-96);
  EXPECT_LE(abs((Wide(kThirdHigh) + kThirdLow) * 3 - 1), 0x1p-105);
}

TEST(ExactLog, IsTheNearestDoubleOverAllMagnitudes) {
  Stream stream(7);
  for (int round = 0; round < 6000; ++round) {
    const double x = std::ldexp(0.5 + stream.unit() / 2, static_cast<int>(stream.below(2000)) - 1000);
    ASSERT_EQ(exact_log(x), log(Wide(x)).convert_to<double>()) << x;
  }
}

TEST(ExactLog, IsTheNearestDoubleNearOneAndNearTheEdgesOfItsTables) {
  Stream stream(8);
  for (int round = 0; round < 6000; ++round) {
    const double centre = static_cast<double>(40 + stream.below(52)) / 64 + (round % 3 == 0 ? 1.0 / 128 : 0.0);
    const double base = round % 2 ? 1.0 : centre;
    const double x = base * (1 + (stream.unit() - 0.5) * std::ldexp(1.0, -static_cast<int>(stream.below(50))));
    ASSERT_EQ(exact_log(x), log(Wide(x)).convert_to<double>()) << x;
  }
  EXPECT_EQ(exact_log(1.0), 0.0);
  EXPECT_EQ(exact_log1p(0.0), 0.0);
  EXPECT_EQ(exact_log1p(1e-20), 1e-20);
  EXPECT_EQ(exact_log(5e-324), log(Wide(5e-324)).convert_to<double>());
}

TEST(ExactLog, WhatHasNoLogarithmIsAFault) {
  EXPECT_THROW(exact_log(0.0), InternalError);
  EXPECT_THROW(exact_log(-1.0), InternalError);
  EXPECT_THROW(exact_log(std::nan("")), InternalError);
}

}  // namespace
}  // namespace scvet::numeric
