#include "scvet/base/text.h"

#include <gtest/gtest.h>

#include <bit>
#include <clocale>
#include <cmath>
#include <limits>

#include "scvet/base/random.h"

namespace scvet {
namespace {

TEST(FormatNumber, ReadsBackToTheSameDouble) {
  Stream stream(7);
  for (int draw = 0; draw < 20000; ++draw) {
    const std::uint64_t bits = stream.next();
    const double value = std::bit_cast<double>(bits);
    if (!std::isfinite(value)) continue;
    const auto back = parse_number(format_number(value));
    ASSERT_TRUE(back) << format_number(value);
    ASSERT_EQ(std::bit_cast<std::uint64_t>(*back), bits);
  }
}

TEST(FormatNumber, IsShortAndNamesWhatIsNotFinite) {
  EXPECT_EQ(format_number(0.1), "0.1");
  EXPECT_EQ(format_number(3), "3");
  EXPECT_EQ(format_number(std::nan("")), "nan");
  EXPECT_EQ(format_number(HUGE_VAL), "inf");
  EXPECT_EQ(format_number(-HUGE_VAL), "-inf");
}

TEST(FormatPython, NumbersAsPythonPrintsThem) {
  EXPECT_EQ(format_python(1), "1.0");
  EXPECT_EQ(format_python(0), "0.0");
  EXPECT_EQ(format_python(-0.5), "-0.5");
  EXPECT_EQ(format_python(100000), "100000.0");
  EXPECT_EQ(format_python(0.0001), "0.0001");
  EXPECT_EQ(format_python(0.00001), "1e-05");
  EXPECT_EQ(format_python(-0.0003856642134442), "-0.0003856642134442");
  EXPECT_EQ(format_python(123456789012345680.0), "1.2345678901234568e+17");
  EXPECT_EQ(format_python(1e16), "1e+16");
  EXPECT_EQ(format_python(9999999999999998.0), "9999999999999998.0");
  EXPECT_EQ(format_python(49.16369388113095), "49.16369388113095");
}

TEST(FormatCount, GroupsThousands) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1000), "1,000");
  EXPECT_EQ(format_count(1234567), "1,234,567");
  EXPECT_EQ(format_count(-123456), "-123,456");
}

TEST(FormatCount, TakesTheLeastInteger) {
  EXPECT_EQ(format_count(std::numeric_limits<std::int64_t>::min()), "-9,223,372,036,854,775,808");
}

TEST(FormatPercent, ABoundIsNeverRoundedToTheFlatteringSide) {
  EXPECT_EQ(format_upper_percent(0.0213), "2.2 %");
  EXPECT_EQ(format_lower_percent(0.0219), "2.1 %");
  EXPECT_EQ(format_upper_percent(0.03), "3.0 %");
  EXPECT_EQ(format_lower_percent(0.07), "7.0 %");
  EXPECT_EQ(format_upper_percent(0.000301), "0.031 %");
  EXPECT_EQ(format_upper_percent(1), "100.0 %");
  EXPECT_EQ(format_lower_percent(0), "0.0 %");
  EXPECT_EQ(format_upper_percent(std::nan("")), "n/a");
}

TEST(FormatPercent, RoundsToItsDigits) {
  EXPECT_EQ(format_percent(0.0512), "5.1 %");
  EXPECT_EQ(format_percent(1, 0), "100 %");
  EXPECT_EQ(format_percent(std::nan("")), "n/a");
}

TEST(Split, KeepsEmptyParts) {
  EXPECT_EQ(split("a,,b,", ','), (std::vector<std::string>{"a", "", "b", ""}));
  EXPECT_EQ(split("", ','), (std::vector<std::string>{""}));
}

TEST(Trim, RemovesWhiteSpaceAtBothEndsOnly) {
  EXPECT_EQ(trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(trim("  "), "");
  EXPECT_EQ(trim("\xc3\xa9 "), "\xc3\xa9");
}

TEST(Lower, LeavesOtherBytes) { EXPECT_EQ(lower("CD4+ T\xc3\x89"), "cd4+ t\xc3\x89"); }

TEST(Join, PutsTheSeparatorBetween) {
  const std::vector<std::string> parts = {"a", "b", "c"};
  EXPECT_EQ(join(parts, ", "), "a, b, c");
  EXPECT_EQ(join(std::vector<std::string>{}, ", "), "");
  EXPECT_EQ(join_some(parts, 3), "a, b, c");
  EXPECT_EQ(join_some(parts, 2), "a, b, ...");
}

TEST(ParseInteger, TakesTheWholeTextOrNothing) {
  EXPECT_EQ(parse_integer("-42"), -42);
  EXPECT_EQ(parse_integer("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  for (const char* text : {"", " 1", "1 ", "1.0", "0x10", "9223372036854775808", "--1", "one"})
    EXPECT_FALSE(parse_integer(text)) << text;
}

TEST(ParseNumber, TakesTheWholeTextOrNothing) {
  EXPECT_EQ(parse_number("1e3"), 1000);
  EXPECT_EQ(parse_number("+2.5"), 2.5);
  EXPECT_EQ(parse_number("-inf"), -HUGE_VAL);
  EXPECT_TRUE(std::isnan(parse_number("nan").value_or(0)));
  for (const char* text : {"", "+", "1,5", "1e", "0x1p3", "1 2", "++1", "+-1"})
    EXPECT_FALSE(parse_number(text)) << text;
}

TEST(ParseNumber, DoesNotFollowTheLocale) {
  const char* const german = std::setlocale(LC_NUMERIC, "de_DE.UTF-8");
  EXPECT_EQ(parse_number("1.5"), 1.5) << (german ? german : "C locale only");
  EXPECT_EQ(format_number(1.5), "1.5");
  std::setlocale(LC_NUMERIC, "C");
}

TEST(NearestName, FindsATypingErrorAndNothingFar) {
  const std::vector<std::string> names = {"batch_key", "cell_type", "donor_id"};
  EXPECT_EQ(nearest_name("Batch_Kye", names), "batch_key");
  EXPECT_EQ(nearest_name("celltype", names), "cell_type");
  EXPECT_EQ(nearest_name("zzzzzzzzzz", names), std::nullopt);
  EXPECT_EQ(nearest_name("x", std::vector<std::string>{}), std::nullopt);
}

TEST(Stem, DropsFolderExtensionAndGz) {
  EXPECT_EQ(base_name("a/b/c.h5ad"), "c.h5ad");
  EXPECT_EQ(base_name("a/b/"), "b");
  EXPECT_EQ(stem("a/b/c.h5ad"), "c");
  EXPECT_EQ(stem("pcs.tsv.gz"), "pcs");
  EXPECT_EQ(stem("v1.2/x"), "x");
  EXPECT_EQ(stem(".hidden"), ".hidden");
}

TEST(CsvField, QuotesOnlyWhatNeedsIt) {
  EXPECT_EQ(csv_field("plain text"), "plain text");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"x\""), "\"say \"\"x\"\"\"");
  EXPECT_EQ(csv_field("two\nlines"), "\"two\nlines\"");
}

TEST(HtmlEscape, LeavesNoMarkup) {
  EXPECT_EQ(html_escape("<a href=\"x\">Tom & 'Jerry'</a>"),
            "&lt;a href=&quot;x&quot;&gt;Tom &amp; &#39;Jerry&#39;&lt;/a&gt;");
}

}  // namespace
}  // namespace scvet
