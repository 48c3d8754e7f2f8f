#include "scvet/data/vocabulary.h"

#include <gtest/gtest.h>

#include "scvet/base/error.h"

namespace scvet {
namespace {

TEST(Vocabulary, ReadsBackAndLeavesOutSpecialTokens) {
  const Vocabulary vocabulary = Vocabulary::parse(
      "# V1\ngene\ttoken\tmedian\n<pad>\t0\t\nENSG00000141510.4\t3\t2.5\nENSG00000075624\t2\t.125\n", "dir/v1.tsv");
  ASSERT_EQ(vocabulary.genes().size(), 2u);
  EXPECT_EQ(vocabulary.genes()[0].gene, "ENSG00000075624");
  EXPECT_EQ(vocabulary.find("ENSG00000141510")->median, 2.5);
  EXPECT_EQ(vocabulary.find("<pad>"), nullptr);
  EXPECT_EQ(vocabulary.name(), "v1");
  EXPECT_EQ(Vocabulary::parse(vocabulary.to_text(), "x").digest(), vocabulary.digest());
}

TEST(Vocabulary, WrongLinesAreNamed) {
  for (const char* bad : {"", "ENSG1\t2\t1\n", "gene\ttoken\tmedian\nENSG1\t2\n", "gene\ttoken\tmedian\nENSG1\tx\t1\n",
                          "gene\ttoken\tmedian\nENSG1\t2\t0\n", "gene\ttoken\tmedian\nENSG1\t2\t1\nENSG1\t3\t1\n",
                          "gene\ttoken\tmedian\nENSG1\t2\t1\nENSG2\t2\t1\n"})
    EXPECT_THROW(Vocabulary::parse(bad, "v"), DataError) << bad;
}

}  // namespace
}  // namespace scvet
