#include "scvet/report/charts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

namespace scvet::report {
namespace {

using nlohmann::json;

TEST(Charts, BinsCountEveryValueOnceAndKeepTheEnds) {
  const Bins bins = bin_values({0, .049, .05, .999, 1, 1.5, -.2, std::nan("")}, 0, 1, 20);
  EXPECT_EQ(std::accumulate(bins.counts.begin(), bins.counts.end(), 0.0), 7);
  EXPECT_EQ(bins.n_missing, 1u);
  EXPECT_EQ(bins.counts[0], 3);  // 0, .049 and the value below the range
  EXPECT_EQ(bins.counts[1], 1);
  EXPECT_EQ(bins.counts[19], 3);  // .999, 1 and the value above it
}

TEST(Charts, ThinningKeepsOrderAndStaysUnderItsLimit) {
  for (const std::size_t n : {0u, 1u, 4999u, 5000u, 5001u, 123457u}) {
    const auto kept = thinned(n, 5000);
    EXPECT_LE(kept.size(), 5000u) << n;
    if (n <= 5000) {
      EXPECT_EQ(kept.size(), n);
    }
    EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end()));
    if (n > 0) {
      EXPECT_LT(kept.back(), n);
    }
  }
  EXPECT_TRUE(thinned(10, 0).empty());
}

TEST(Charts, NamesThatAreNoTextAndUndefinedNumbersStillGiveJson) {
  const Chart chart = bar_chart({.id = "odd"}, {{"a\xC0\x80z", 1}, {"b", std::nan("")}});
  const json values = json::parse(chart.spec)["data"]["values"];
  EXPECT_EQ(values[0]["name"], "a\xEF\xBF\xBD\xEF\xBF\xBDz");
  EXPECT_TRUE(values[1]["value"].is_null());
}

const json& layer(const json& spec, std::size_t number) { return spec["layer"][number]["data"]["values"]; }

TEST(Charts, DotsHoldTheirBoundsAndLeaveOutWhatIsUndefined) {
  const Chart chart = dots_chart(
      {.id = "d", .x_title = "x"},
      {{"first", "seed 1", .1, "g"}, {"second", "seed 1", std::nan(""), "g"}, {"second", "seed 2", -.2, "g"}},
      {{"first", .05}, {"second", std::nan("")}}, {{"g", kColourGood, "circle"}});
  const json spec = json::parse(chart.spec);
  ASSERT_EQ(spec["layer"].size(), 3u);
  EXPECT_EQ(layer(spec, 0)[0]["at"], 0);
  ASSERT_EQ(layer(spec, 1).size(), 1u);
  EXPECT_EQ(layer(spec, 1)[0]["value"], .05);
  ASSERT_EQ(layer(spec, 2).size(), 2u);
  EXPECT_EQ(layer(spec, 2)[1]["label"], "seed 2");
  EXPECT_EQ(spec["layer"][2]["encoding"]["y"]["sort"], json::array({"first", "second"}));
}

TEST(Charts, DotsWithoutBoundsHaveNoEmptyLayer) {
  const json spec =
      json::parse(dots_chart({.id = "d"}, {{"a", "one", 1, "g"}}, {}, {{"g", kColourGood, "circle"}}).spec);
  ASSERT_EQ(spec["layer"].size(), 2u);
  EXPECT_FALSE(layer(spec, 1).empty());
}

TEST(Charts, AScatterOfEqualAxesHasOneRangeAndItsDiagonal) {
  const Chart chart =
      scatter_chart({.id = "s"}, {.same = true}, {{"p", kColourGood, "circle", {{1, 5}, {-2, 3}, {std::nan(""), 9}}}});
  const json spec = json::parse(chart.spec);
  ASSERT_EQ(spec["layer"].size(), 2u);
  EXPECT_EQ(layer(spec, 0), json::array({{{"x", -2.0}, {"y", -2.0}}, {{"x", 5.0}, {"y", 5.0}}}));
  EXPECT_EQ(layer(spec, 1).size(), 2u);
  EXPECT_EQ(spec["layer"][1]["encoding"]["x"]["scale"], spec["layer"][1]["encoding"]["y"]["scale"]);
  const json single =
      json::parse(scatter_chart({.id = "t"}, {.same = true}, {{"p", kColourGood, "circle", {{1, 1}}}}).spec);
  EXPECT_EQ(single["layer"].size(), 1u);  // one point has no range
}

TEST(Charts, IntervalsOfDifferencesHaveALineAtZeroAndNoPercent) {
  const Chart chart = interval_chart({.id = "i"}, {{"a", "", .1, -.1, .2}, {"b", "", .1, std::nan(""), .2}}, {},
                                     {.percent = false, .lines = {0}});
  const json spec = json::parse(chart.spec);
  ASSERT_EQ(spec["layer"].size(), 3u);
  EXPECT_EQ(layer(spec, 0)[0]["at"], 0);
  EXPECT_EQ(spec["data"]["values"].size(), 1u);
  EXPECT_FALSE(spec["layer"][1]["encoding"]["x"]["axis"].contains("format"));
}

TEST(Charts, EverySpecIsJsonWithItsDataInsideAndNoLinkToData) {
  const ChartText text{
      .id = "x", .caption = "c", .alt = "a \"quoted\" <alt>", .note = "", .x_title = "J*", .y_title = "cells"};
  const std::vector<Chart> charts = {
      histogram_chart(text, 0, 1, {{"one", kColourBad, {1, 2}}, {"two", kColourGood, {3, 4}}}),
      outline_chart(text, 0, 1, {{"one", kColourBad, {.25, .75}}}),
      points_chart(text, true,
                   {{"ok", kColourPale, "circle", {{100, .5}}}, {"exact", kColourBad, "square", {{200, 1}}}}),
      interval_chart(text, {{"pbmc", "exact", .1, .05, .2}}, {{"exact", kColourBad}, {"suspect", kColourWarm}}),
      curve_chart(text, {{"pbmc", .5, .9, .8, .95}}, .8),
      bar_chart(text, {{"study", 12}}),
      dots_chart(text, {{"a", "seed 1", .1, "reached"}}, {{"a", .02}}, {{"reached", kColourGood, "circle"}}),
      scatter_chart(text, {.log_x = true}, {{"ok", kColourPale, "circle", {{100, .5}}}}),
      scatter_chart(text, {.same = true}, {{"ok", kColourPale, "circle", {{1, 2}, {2, 3}}}})};
  for (const Chart& chart : charts) {
    const json spec = json::parse(chart.spec);
    EXPECT_EQ(spec["width"], "container");
    EXPECT_EQ(spec["description"], text.alt);
    EXPECT_EQ(chart.spec.find("\"url\""), std::string::npos);
  }
}

TEST(Charts, HistogramRowsHoldTheEdgesAndHeights) {
  const json spec = json::parse(histogram_chart({}, 0, 1, {{"one", kColourBad, {1, 2, 3, 4}}}).spec);
  const json& rows = spec["data"]["values"];
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[3]["from"], .75);
  EXPECT_EQ(rows[3]["to"], 1);
  EXPECT_EQ(rows[3]["height"], 4);
}

TEST(Charts, SeriesColoursFollowTheGivenOrderNotTheAlphabet) {
  const json spec =
      json::parse(points_chart({}, false, {{"zebra", "#111111", "circle", {}}, {"ant", "#222222", "square", {}}}).spec);
  EXPECT_EQ(spec["encoding"]["color"]["scale"]["domain"], json::array({"zebra", "ant"}));
  EXPECT_EQ(spec["encoding"]["shape"]["scale"]["range"], json::array({"circle", "square"}));
}

}  // namespace
}  // namespace scvet::report
