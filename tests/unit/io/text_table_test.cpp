#include "scvet/io/text_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scvet/base/error.h"
#include "scvet/base/files.h"

namespace scvet::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string file(const std::string& name, const std::string& text) {
  const std::string path = testing::TempDir() + name;
  write_file(path, text);
  return path;
}

TEST(TextTable, CommentsDelimiterAndTypesAreFound) {
  const TextTable table = read_text_table(
      file("a.csv", "# made by hand\nindex,type,n,score,flag\nc1,B,1,0.5,True\nc2,\"T, naive\",2,NA,False\n"));
  EXPECT_EQ(table.delimiter, ',');
  EXPECT_THAT(table.comments, ElementsAre("made by hand"));
  EXPECT_THAT(table.table.names, ElementsAre("c1", "c2"));
  EXPECT_EQ(table.name_from, "index");
  ASSERT_EQ(table.table.columns.size(), 4u);
  EXPECT_EQ(table.table.columns[0].strings[1], "T, naive");
  EXPECT_EQ(table.table.columns[1].dtype, "int64");
  EXPECT_TRUE(table.table.columns[2].is_missing(1));
  EXPECT_EQ(table.table.columns[3].text(0), "True");
  EXPECT_DOUBLE_EQ(table.numeric_sum, 3.5);
  EXPECT_EQ(table.n_lines, 3);
}

TEST(TextTable, QuotedFieldsMayHoldQuotesAndLineEnds) {
  const TextTable table = read_text_table(file("q.csv", "cell,note\na,\"two\nlines\"\nb,\"say \"\"hi\"\"\"\n"));
  EXPECT_THAT(table.table.columns.at(0).strings, ElementsAre("two\nlines", "say \"hi\""));
}

TEST(TextTable, UnnamedFirstColumnNamesTheRowsAlsoWhereRLeavesItOut) {
  const TextTable pandas = read_text_table(file("p.tsv", "\tx\ty\n0\t1.5\t2\n1\t2.5\t3\n"));
  const TextTable r = read_text_table(file("r.tsv", "x\ty\n0\t1.5\t2\n1\t2.5\t3\n"));
  for (const TextTable& table : {pandas, r}) {
    EXPECT_THAT(table.header, ElementsAre("Unnamed: 0", "x", "y"));
    EXPECT_THAT(table.table.names, ElementsAre("0", "1"));
    EXPECT_DOUBLE_EQ(table.numeric_sum, 10);
  }
}

TEST(TextTable, NumbersWithoutAHeaderAreRowsAndRowsAreNumbered) {
  const TextTable table = read_text_table(file("n.txt", "1 2\n3 4\n"));
  EXPECT_FALSE(table.has_header);
  EXPECT_EQ(table.n_rows(), 2);
  EXPECT_THAT(table.table.names, ElementsAre("0", "1"));
  const Embedding embedding = table_embedding(table, "n", "n.txt");
  EXPECT_THAT(embedding.values, ElementsAre(1, 2, 3, 4));
}

TEST(TextTable, ColumnCalledCellNamesTheRowsOnlyWhenItTellsThemApart) {
  const TextTable distinct = read_text_table(file("d.tsv", "donor\tcell\nA\tx\nA\ty\n"));
  EXPECT_EQ(distinct.name_from, "cell");
  const TextTable repeated = read_text_table(file("e.tsv", "donor\tcell\nA\tx\nA\tx\n"));
  EXPECT_EQ(repeated.name_from, "");
}

TEST(TextTable, RowOfAnotherLengthIsNamedByLine) {
  try {
    read_text_table(file("bad.csv", "a,b\n1,2\n1,2,3\n"));
    FAIL();
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), testing::AllOf(HasSubstr("line 3"), HasSubstr("expected 2"), HasSubstr("found 3")));
  }
}

TEST(TextTable, MissingValueOrNoNumbersIsNoEmbedding) {
  const std::string gaps = file("gap.csv", "index,x\na,1\nb,\n"), words = file("words.csv", "index,x\na,u\nb,v\n");
  EXPECT_THROW(table_embedding(read_text_table(gaps), "x", gaps), DataError);
  EXPECT_THROW(table_embedding(read_text_table(words), "x", words), DataError);
}

TEST(TextTable, OtherKindsOfTextAreNotTakenForTables) {
  EXPECT_TRUE(looks_like_text_table(file("t1", "a,b\n1,2\n")));
  for (const char* text : {"{\"a\": 1}", "<html>", "@SRR1\nACGT\n+\nIIII\n", "%%MatrixMarket matrix\n", "", "a\x01z\n"})
    EXPECT_FALSE(looks_like_text_table(file("t2", text))) << text;
}

}  // namespace
}  // namespace scvet::io
