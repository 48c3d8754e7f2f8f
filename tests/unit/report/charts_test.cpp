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
      bar_chart(text, {{"study", 12}})};
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
