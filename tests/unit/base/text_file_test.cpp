#include "scvet/base/text_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scvet/base/error.h"
#include "scvet/base/files.h"

namespace scvet {
namespace {

std::vector<std::string> lines_of(const std::string& path) {
  TextFile file(path);
  std::vector<std::string> lines;
  std::string_view line;
  while (file.next(line)) lines.emplace_back(line);
  return lines;
}

TEST(TextFile, LineEndsAndAMissingLastOneAreOne) {
  const std::string path = testing::TempDir() + "lines.txt";
  write_file(path, "a\r\n\nlast");
  EXPECT_THAT(lines_of(path), testing::ElementsAre("a", "", "last"));
}

TEST(TextFile, LinesLongerThanTheBufferAreWhole) {
  const std::string path = testing::TempDir() + "long.txt", longest(1'000'000, 'x');
  write_file(path, longest + "\nshort\n" + longest + longest);
  const std::vector<std::string> lines = lines_of(path);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0], longest);
  EXPECT_EQ(lines[2].size(), 2'000'000u);
}

TEST(TextFile, GzippedTextIsReadAndATruncatedOneRefused) {
  const std::string whole = SCVET_TEST_DATA "/gene_names.tsv.gz";
  EXPECT_EQ(lines_of(whole).size(), 3u);
  const std::string bytes = read_file(whole), cut = testing::TempDir() + "cut.gz";
  write_file(cut, bytes.substr(0, bytes.size() - 12));
  try {
    lines_of(cut);
    FAIL() << "a truncated file was read";
  } catch (const DataError& error) {
    EXPECT_EQ(error.facts().reason, "truncated");
  }
}

TEST(TextFile, MissingFileAndFolderAreNamed) {
  EXPECT_THROW(TextFile("/nowhere/x.txt"), DataError);
  EXPECT_THROW(TextFile("/tmp"), DataError);
}

}  // namespace
}  // namespace scvet
