#include "scvet/report/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "scvet/base/error.h"

namespace scvet::report {
namespace {

TEST(Json, KeysAreSortedSoThatEqualContentIsEqualBytes) {
  Json forwards, backwards;
  forwards["alpha"] = 1;
  forwards["beta"] = 2;
  backwards["beta"] = 2;
  backwards["alpha"] = 1;
  EXPECT_EQ(forwards.dump(), R"({"alpha":1,"beta":2})");
  EXPECT_EQ(forwards.dump(2), backwards.dump(2));
}

TEST(Json, NumbersAreTheShortestThatReadBackEqual) {
  EXPECT_EQ(Json(.1).dump(), "0.1");
  EXPECT_EQ(Json(1.0 / 3).dump(), "0.3333333333333333");
  EXPECT_EQ(Json(std::numeric_limits<std::uint64_t>::max()).dump(), "18446744073709551615");
  EXPECT_EQ(Json(1e300).dump(), "1e+300");
}

TEST(Json, UndefinedNumbersAreNull) {
  EXPECT_EQ(Json(std::nan("")).dump(), "null");
  EXPECT_EQ(Json(std::numeric_limits<double>::infinity()).dump(), "null");
}

TEST(Json, EveryByteStringBecomesTextThatAnotherParserReads) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  const auto parsed = nlohmann::json::parse(Json(all).dump());
  const std::string text = parsed.get<std::string>();
  EXPECT_EQ(text.substr(0, 128), all.substr(0, 128));
  EXPECT_NE(text.find("\xEF\xBF\xBD"), std::string::npos);
  for (const char* const good : {"Zürich", "\xF0\x9F\xA7\xAC", "a\"b\\c\n\t"})
    EXPECT_EQ(nlohmann::json::parse(Json(good).dump()).get<std::string>(), good);
  for (const char* const bad : {"\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82"})
    EXPECT_TRUE(nlohmann::json::accept(Json(bad).dump()));
}

TEST(Json, NestedValuesSurviveIndentedAndPlain) {
  Json json = Json::object({{"empty", Json::array()}, {"none", nullptr}, {"yes", true}});
  json["list"] = Json::array({1, "two", Json::object({{"three", 3}})});
  const auto plain = nlohmann::json::parse(json.dump());
  EXPECT_EQ(plain, nlohmann::json::parse(json.dump(2)));
  EXPECT_EQ(plain["list"][2]["three"], 3);
  EXPECT_TRUE(plain["empty"].is_array());
}

TEST(Json, MixingKeysAndItemsIsAnInternalError) {
  Json json = Json::array();
  EXPECT_THROW(json["key"], InternalError);
  Json text = "x";
  EXPECT_THROW(text.push_back(1), InternalError);
}

}  // namespace
}  // namespace scvet::report
