#include "scvet/report/document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace scvet::report {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Document, PageAndMarkdownHoldTheSameContent) {
  Document document("Title", "subtitle");
  document.section("First", "first");
  document.verdict(Tone::kBad, "Heading", "A sentence.", {"a reason"});
  document.facts({{"name", "value"}});
  Grid grid{.id = "t", .caption = "Caption", .columns = {{.name = "A"}, {.name = "B", .numeric = true}}, .rows = {}};
  grid.rows.push_back({"x", number_cell(2)});
  grid.note = "A note.";
  document.table(grid);
  document.chart({.id = "c", .caption = "Drawn", .alt = "What it shows.", .spec = "{}"});
  for (const char* const part : {"Title", "subtitle", "First", "Heading", "A sentence.", "a reason", "value", "Caption",
                                 "A note.", "Drawn", "What it shows."}) {
    EXPECT_THAT(document.html(), HasSubstr(part));
    EXPECT_THAT(document.markdown(), HasSubstr(part));
  }
  EXPECT_THAT(document.markdown(), HasSubstr("| A | B |\n| --- | ---: |\n| x | 2 |\n"));
}

TEST(Document, TextCannotBecomeMarkupOfEither) {
  Document document("t");
  document.paragraph("a|b <i> *c* `d` [e](f)\nnext");
  EXPECT_THAT(document.markdown(), HasSubstr("a\\|b \\<i\\> \\*c\\* \\`d\\` \\[e\\](f) next"));
  EXPECT_THAT(document.html(), Not(HasSubstr("<i>")));
}

TEST(Document, ACodeBlockCannotBeEndedFromInside) {
  Document document("t");
  document.code("a\n```\nb");
  EXPECT_THAT(document.markdown(), HasSubstr("````\na\n```\nb\n````"));
}

}  // namespace
}  // namespace scvet::report
