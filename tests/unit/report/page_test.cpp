#include "scvet/report/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "assets.h"
#include "scvet/base/error.h"
#include "scvet/report/charts.h"

namespace scvet::report {
namespace {

using testing::HasSubstr;
using testing::Not;

Page small_page() {
  Page page("Audit of <b>", "a & b");
  page.section("Verdict", "verdict");
  page.verdict(Tone::kBad, "Exposed", "49 cells", {"reason"});
  page.section("Numbers", "numbers");
  page.table({.id = "t",
              .caption = "Shares",
              .columns = {{.name = "set"}, {.name = "share", .numeric = true}},
              .rows = {{"pbmc", percent_cell(.25)}}});
  page.chart(bar_chart({.id = "bars", .caption = "Bars", .alt = "bars \"of\" cells"},
                       {{"</script><script>alert(1)</script>", 3}}));
  page.data(R"({"name":"</script><!-- x"})");
  return page;
}

// The part of a page that is written by us, without the libraries.
std::string own_part(const std::string& html) { return html.substr(0, html.find("<script>")); }

TEST(Page, EverythingGivenIsEscaped) {
  const std::string html = small_page().html();
  EXPECT_THAT(html, HasSubstr("<h1>Audit of &lt;b&gt;</h1>"));
  EXPECT_THAT(html, HasSubstr("a &amp; b"));
  EXPECT_THAT(html, Not(HasSubstr("alert(1)</script>")));
  EXPECT_THAT(
      html,
      HasSubstr(R"(<script type="application/json" id="scvet-data">{"name":"\u003c/script>\u003c!-- x"}</script>)"));
}

TEST(Page, NumbersCarryTheirExactValue) {
  EXPECT_THAT(small_page().html(),
              HasSubstr(R"(<th scope="row">pbmc</th><td class="number" data-value="0.25">25.0 %</td>)"));
}

TEST(Page, NothingIsFetchedFromAnywhere) {
  const std::string html = small_page().html();
  EXPECT_THAT(html, HasSubstr("default-src 'none'"));
  EXPECT_THAT(html, Not(HasSubstr("unsafe-eval")));
  EXPECT_EQ(html.find("sourceMappingURL"), std::string::npos);
  const std::string own = own_part(html);
  const std::regex fetching(
      R"re((src|srcset|action|data|poster)\s*=\s*["']?\s*(https?:|//)|<(link|img|iframe|object|embed)\b|@import|url\()re");
  EXPECT_FALSE(std::regex_search(own, fetching));
  const std::regex link(R"(href="([^"]*)\")");
  for (auto at = std::sregex_iterator(own.begin(), own.end(), link); at != std::sregex_iterator(); ++at)
    EXPECT_EQ((*at)[1].str().front(), '#');
}

TEST(Page, SameContentIsSameBytes) { EXPECT_EQ(small_page().html(), small_page().html()); }

TEST(Page, ToneIsSaidByColourSymbolAndWord) {
  const std::string html = small_page().html();
  EXPECT_THAT(html, HasSubstr("tone-bad"));
  EXPECT_THAT(html, HasSubstr("aria-label=\"warning\">\xE2\x96\xB2"));
  EXPECT_THAT(html, HasSubstr("<h3>Exposed</h3>"));
}

TEST(Page, RepeatedIdsAndOpenBlocksAreInternalErrors) {
  Page page("t");
  page.section("A", "a");
  EXPECT_THROW(page.section("B", "a"), InternalError);
  page.begin_details("more");
  EXPECT_THROW(page.html(), InternalError);
  page.end_details();
  EXPECT_NO_THROW(page.html());
  EXPECT_THROW(page.table({.id = "x", .caption = "", .columns = {{.name = "a"}}, .rows = {{"1", "2"}}}), InternalError);
}

TEST(Page, ChartLibrariesCannotEndTheirScriptElement) {
  for (const Asset& file : assets()) {
    const std::string_view text(file.first, static_cast<std::size_t>(file.last - file.first));
    if (!std::string_view(file.name).ends_with(".js")) continue;
    EXPECT_EQ(text.find("</script"), std::string_view::npos) << file.name;
    EXPECT_EQ(text.find("<!--"), std::string_view::npos) << file.name;
  }
}

TEST(Page, ChartsAreThereOrSaidToBeLeftOut) {
  const std::string html = small_page().html();
  if (has_charts()) {
    EXPECT_THAT(html, HasSubstr("class=\"chart-spec\" data-for=\"chart-bars\""));
    EXPECT_THAT(html, HasSubstr("Licences of the chart libraries"));
  } else {
    EXPECT_THAT(html, HasSubstr("The chart was left out"));
  }
}

TEST(Page, NamesThatAreNotUtf8StillGiveAValidPage) {
  Page page("t");
  page.paragraph("Z\xFCrich");
  EXPECT_THAT(page.html(), HasSubstr("Z\xEF\xBF\xBDrich"));
}

}  // namespace
}  // namespace scvet::report
