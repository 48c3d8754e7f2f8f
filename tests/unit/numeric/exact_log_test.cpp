#include "scvet/numeric/exact_log.h"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

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
