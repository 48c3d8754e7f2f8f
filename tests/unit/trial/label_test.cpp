// The label's own kernel against the plain statistic, bit for bit.
#include "label.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <map>
#include <random>

namespace scvet::trial {
namespace {

using Samples = std::vector<std::vector<std::uint32_t>>;  // cells x genes

CountsStore store_of(const Samples& cells) {
  CountsStore store;
  for (const auto& cell : cells) {
    std::vector<std::uint32_t> genes, counts;
    for (std::uint32_t gene = 0; gene < cell.size(); ++gene)
      if (cell[gene] > 0) {
        genes.push_back(gene);
        counts.push_back(cell[gene]);
      }
    std::vector<std::uint8_t> bytes;
    CountsStore::encode(genes, counts, bytes);
    store.add(bytes);
  }
  return store;
}

double plain(const Samples& first, const Samples& second, std::size_t gene) {
  std::map<std::uint32_t, std::pair<std::int64_t, std::int64_t>> counts;
  for (const auto& cell : first) ++counts[cell[gene]].first;
  for (const auto& cell : second) ++counts[cell[gene]].second;
  std::vector<std::uint32_t> values;
  std::vector<std::int64_t> f1, f2;
  for (const auto& [value, both] : counts) {
    values.push_back(value);
    f1.push_back(both.first);
    f2.push_back(both.second);
  }
  return numeric::AndersonDarling2(static_cast<std::int64_t>(first.size()), static_cast<std::int64_t>(second.size()))
      .statistic(values, f1, f2);
}

Samples draw(std::mt19937& random, int n_cells, int n_genes) {
  Samples cells(static_cast<std::size_t>(n_cells), std::vector<std::uint32_t>(static_cast<std::size_t>(n_genes)));
  for (auto& cell : cells)
    for (std::size_t gene = 0; gene < cell.size(); ++gene) {
      if (gene == 0) continue;  // never seen
      const std::uint32_t most = gene == 1 ? 400 : gene == 2 ? 1 : 5 * static_cast<std::uint32_t>(gene);
      cell[gene] = gene == 3 ? 7 : random() % 3 == 0 ? random() % (most + 1) : 0;  // gene 3: one value only
      if (gene == 4 && random() % 50 == 0) cell[gene] = 4000000000u;
    }
  return cells;
}

TEST(Label, KernelHasTheBitsOfThePlainStatistic) {
  std::mt19937 random(1);
  for (const int n1 : {1, 2, 13, 60}) {
    const Samples first = draw(random, n1, 12), second = draw(random, 90, 12);
    const CountsStore row = store_of(first), controls = store_of(second);
    std::vector<std::int64_t> all(90);
    for (std::size_t at = 0; at < all.size(); ++at) all[at] = static_cast<std::int64_t>(at);
    const Histograms pool(controls, all, 12);
    PoolTest test(pool);
    const std::int64_t size = n1;
    test.prepare(std::span(&size, 1));
    GroupCounter counter(12);
    counter.count(controls);  // a used workspace is cleared
    counter.count(row);
    std::vector<double> found(12, std::nan(""));
    test.each_finite(counter, n1,
                     [&](std::int64_t gene, double value) { found[static_cast<std::size_t>(gene)] = value; });
    int finite = 0;
    for (std::size_t gene = 0; gene < found.size(); ++gene) {
      const double expected = plain(first, second, gene);
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(found[gene]));
        continue;
      }
      ++finite;
      EXPECT_EQ(std::bit_cast<std::uint64_t>(found[gene]), std::bit_cast<std::uint64_t>(expected)) << gene;
    }
    EXPECT_EQ(finite, 10);
    EXPECT_EQ(test.label(counter, n1).n_finite, finite);
  }
}

TEST(Label, APoolLessTheGroupsOwnCellsIsThePoolOfTheOthers) {
  std::mt19937 random(2);
  const Samples all = draw(random, 70, 12);
  const Samples group(all.begin(), all.begin() + 20), others(all.begin() + 20, all.end());
  const CountsStore store = store_of(all);
  std::vector<std::int64_t> every(70), own(20);
  for (std::size_t at = 0; at < every.size(); ++at) every[at] = static_cast<std::int64_t>(at);
  for (std::size_t at = 0; at < own.size(); ++at) own[at] = static_cast<std::int64_t>(at);
  const Histograms pool(store, every, 12);
  GroupCounter counter(12);
  counter.count(store, own);
  std::vector<Histograms::Entry> scratch;
  const numeric::AndersonDarling2 test(20, 50);
  for (std::uint32_t gene = 0; gene < 12; ++gene) {
    const double found = remaining_statistic(test, counter.gene(gene), pool.gene(gene), scratch);
    const double expected = plain(group, others, gene);
    EXPECT_TRUE(found == expected || (std::isnan(found) && std::isnan(expected))) << gene;
  }
}

TEST(Label, FewerThanFourObservationsOrTwoValuesHaveNoStatistic) {
  const std::vector<Histograms::Entry> one{{1, 1}}, none;
  EXPECT_TRUE(std::isnan(gene_statistic(numeric::AndersonDarling2(1, 1), one, none)));
  EXPECT_TRUE(std::isnan(gene_statistic(numeric::AndersonDarling2(1, 2), one, none)));
  EXPECT_FALSE(std::isnan(gene_statistic(numeric::AndersonDarling2(1, 3), one, none)));
  EXPECT_TRUE(std::isnan(gene_statistic(numeric::AndersonDarling2(5, 9), none, none)));
  EXPECT_TRUE(std::isnan(weak_label(std::nan(""))));
  EXPECT_EQ(weak_label(-3), 0);
}

}  // namespace
}  // namespace scvet::trial
