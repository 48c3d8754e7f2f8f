// Records of cells come back as they went in, in about two bytes a non-zero.
#include "counts_store.h"

#include <gtest/gtest.h>

namespace scvet::trial {
namespace {

TEST(CountsStore, KeepsEveryGapAndEveryCount) {
  const std::vector<std::uint32_t> genes{0, 1, 128, 129, 300, 20000, 4000000, 4294967295u};
  const std::vector<std::uint32_t> counts{1, 254, 255, 256, 65536, 4294967295u, 2, 7};
  std::vector<std::uint8_t> bytes;
  CountsStore::encode(genes, counts, bytes);
  CountsStore store;
  store.add({});
  store.add(bytes);
  ASSERT_EQ(store.n_cells(), 2);
  std::vector<std::uint32_t> found_genes, found_counts;
  store.each(0, [&](std::uint32_t, std::uint32_t) { FAIL(); });
  store.each(1, [&](std::uint32_t gene, std::uint32_t count) {
    found_genes.push_back(gene);
    found_counts.push_back(count);
  });
  EXPECT_EQ(found_genes, genes);
  EXPECT_EQ(found_counts, counts);
}

TEST(CountsStore, TakesTwoBytesWhereGapsAndCountsAreSmall) {
  std::vector<std::uint32_t> genes, counts;
  for (std::uint32_t gene = 3; gene < 8000; gene += 5) {
    genes.push_back(gene);
    counts.push_back(gene % 30 + 1);
  }
  std::vector<std::uint8_t> bytes;
  CountsStore::encode(genes, counts, bytes);
  EXPECT_EQ(bytes.size(), 2 * genes.size());
}

}  // namespace
}  // namespace scvet::trial
