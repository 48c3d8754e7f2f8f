#include "scvet/report/heat_chart.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace scvet::report {
namespace {

using Json = nlohmann::json;

Json spec(const std::vector<HeatCell>& cells) {
  return Json::parse(heat_chart({.id = "h", .caption = "c", .alt = "a"}, 0, 1, cells).spec);
}

TEST(HeatChart, RowsAndColumnsKeepTheirOrder) {
  const Json chart = spec({{"z", "b", 0.1}, {"z", "a", 0.2}, {"m", "b", 0.3}, {"m", "a", 0.4}});
  EXPECT_EQ(chart["encoding"]["y"]["sort"], (std::vector<std::string>{"z", "m"}));
  EXPECT_EQ(chart["encoding"]["x"]["sort"], (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(chart["layer"].size(), 2u);
}

TEST(HeatChart, EveryFieldHasItsNumberInALegibleInk) {
  const Json values = spec({{"r", "dark", 0.1}, {"r", "bright", 0.95}})["layer"][1]["data"]["values"];
  EXPECT_EQ(values[0]["shown"], "0.10");
  EXPECT_EQ(values[0]["ink"], "#ffffff");
  EXPECT_EQ(values[1]["ink"], "#1c2530");
  EXPECT_EQ(values[1]["value"], 0.95);
}

TEST(HeatChart, AMissingValueIsAGreyFieldWithItsReason) {
  const Json chart = spec({{"r", "a", 0.5}, {"r", "b", std::nan(""), "single_batch"}});
  ASSERT_EQ(chart["layer"].size(), 4u);
  EXPECT_EQ(chart["layer"][0]["data"]["values"].size(), 1u);
  EXPECT_EQ(chart["layer"][2]["data"]["values"][0]["note"], "single_batch");
  EXPECT_EQ(chart["layer"][2]["data"]["values"][0].count("value"), 0u);
}

}  // namespace
}  // namespace scvet::report
