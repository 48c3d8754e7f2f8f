#include "scvet/data/vocabulary.h"

#include <gtest/gtest.h>

#include "scvet/base/digest.h"
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

constexpr const char* kV2 =
    "gene\ttoken\tmedian\n<pad>\t0\n<mask>\t1\n<cls>\t2\n<eos>\t3\nENSG00000000003\t4\t2.5\nENSG00000000005\t6\t1\n"
    "#> ENSG00000999999\tENSG00000000003\n";

TEST(Vocabulary, KeepsSpecialTokensAndTheCollapseMapThroughItsText) {
  const Vocabulary vocabulary = Vocabulary::parse(Vocabulary::parse(kV2, "v2.tsv").to_text(), "v2.tsv");
  EXPECT_EQ(vocabulary.to_text(), kV2);
  ASSERT_EQ(vocabulary.special_tokens().size(), 4u);
  EXPECT_EQ(vocabulary.special_tokens()[2].name, "<cls>");
  EXPECT_TRUE(vocabulary.is_special(3));
  EXPECT_FALSE(vocabulary.is_special(4));
  EXPECT_EQ(vocabulary.collapsed("ENSG00000999999"), "ENSG00000000003");
  EXPECT_EQ(vocabulary.collapsed("ENSG00000000005"), "ENSG00000000005");
  EXPECT_EQ(vocabulary.size(), 7);
  EXPECT_EQ(vocabulary.token_names(),
            (std::vector<std::string>{"<pad>", "<mask>", "<cls>", "<eos>", "ENSG00000000003", "", "ENSG00000000005"}));
}

TEST(Vocabulary, KindFollowsFromTheSpecialTokens) {
  const auto kind = [](const std::string& special) {
    const Vocabulary vocabulary = Vocabulary::parse("gene\ttoken\tmedian\n" + special + "ENSG00000000003\t4\t1\n", "v");
    return std::pair(vocabulary.kind(), vocabulary.default_top_k());
  };
  EXPECT_EQ(kind("<pad>\t0\n<mask>\t1\n"), std::pair(VocabularyKind::kGeneformerV1, std::int64_t{2048}));
  EXPECT_EQ(kind("<pad>\t0\n<mask>\t1\n<cls>\t2\n<eos>\t3\n"),
            std::pair(VocabularyKind::kGeneformerV2, std::int64_t{4094}));
  EXPECT_EQ(kind("").first, VocabularyKind::kOther);
  EXPECT_EQ(kind("<pad>\t0\n<mask>\t1\n<cls>\t2\n").first, VocabularyKind::kOther);
}

// Stores of version 0.1.0 hold genes alone: their text and digest, and the digest of the file they came from, stay.
TEST(Vocabulary, DigestOfStoresWrittenBeforeStays) {
  const std::string stored = "gene\ttoken\tmedian\nENSG00000000003\t2\t2.5\nENSG00000000005\t3\t0.125\n";
  const Vocabulary vocabulary = Vocabulary::parse(stored, "v1");
  EXPECT_EQ(vocabulary.to_text(), stored);
  EXPECT_EQ(vocabulary.digest(), sha256(stored));
  EXPECT_EQ(Vocabulary::parse(stored + "<pad>\t0\n", "v1").digest(), vocabulary.digest());
  EXPECT_NE(Vocabulary::parse(stored + "#> A\tENSG00000000003\n", "v1").digest(), vocabulary.digest());
}

TEST(Vocabulary, ATokenBeyondAnyModelIsNotUnrolled) {
  EXPECT_THROW(Vocabulary::parse("gene\ttoken\tmedian\nENSG1\t9000000000000\t1\n", "v").token_names(), DataError);
}

TEST(Vocabulary, WrongLinesAreNamed) {
  for (const char* bad :
       {"", "ENSG1\t2\t1\n", "gene\ttoken\tmedian\nENSG1\t2\n", "gene\ttoken\tmedian\nENSG1\tx\t1\n",
        "gene\ttoken\tmedian\nENSG1\t2\t0\n", "gene\ttoken\tmedian\nENSG1\t2\t1\nENSG1\t3\t1\n",
        "gene\ttoken\tmedian\nENSG1\t2\t1\nENSG2\t2\t1\n", "gene\ttoken\tmedian\n<pad>\t2\nENSG1\t2\t1\n",
        "gene\ttoken\tmedian\n<pad>\t2\n<mask>\t2\nENSG1\t3\t1\n", "gene\ttoken\tmedian\n<pad>\tx\nENSG1\t3\t1\n",
        "gene\ttoken\tmedian\nENSG1\t3\t1\n#> ENSG2\n", "gene\ttoken\tmedian\nENSG1\t3\t1\n#> ENSG2\tENSG4\n"})
    EXPECT_THROW(Vocabulary::parse(bad, "v"), DataError) << bad;
}

}  // namespace
}  // namespace scvet
