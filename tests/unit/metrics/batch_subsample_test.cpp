#include "scvet/metrics/batch_subsample.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "batch_sample.h"

namespace scvet::metrics {
namespace {

// Cells of each stratum, strata one after the other.
struct Design {
  std::vector<std::string> label, batch;
  void add(const std::string& of_label, const std::string& of_batch, int count) {
    label.insert(label.end(), static_cast<std::size_t>(count), of_label);
    batch.insert(batch.end(), static_cast<std::size_t>(count), of_batch);
  }
  BatchSubsample draw(std::int64_t most, std::uint64_t seed = 17) const {
    return batch_subsample(make_groups(label), make_groups(batch), most, seed);
  }
  std::map<std::string, int> counts(const BatchSubsample& sample) const {
    std::map<std::string, int> found;
    for (const std::int64_t cell : sample.cells)
      ++found[label[static_cast<std::size_t>(cell)] + batch[static_cast<std::size_t>(cell)]];
    return found;
  }
};

TEST(BatchSubsample, AllCellsWithoutANoteWhereThereAreNoMore) {
  Design design;
  design.add("a", "1", 5);
  for (const std::int64_t most : {0, -1, 5, 9}) {
    const BatchSubsample sample = design.draw(most);
    EXPECT_EQ(sample.cells, (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
    EXPECT_EQ(sample.note, "");
  }
}

// 20 of 100: shares 10.2, 8.4, 1.2, 0.2 give 10, 8, 1 and at least 1.
TEST(BatchSubsample, SharesAreRoundedDownAndNoneIsEmpty) {
  Design design;
  design.add("b", "1", 51);
  design.add("a", "1", 42);
  design.add("a", "2", 6);
  design.add("c", "2", 1);
  const BatchSubsample sample = design.draw(20);
  EXPECT_EQ(design.counts(sample), (std::map<std::string, int>{{"b1", 10}, {"a1", 8}, {"a2", 1}, {"c2", 1}}));
  EXPECT_EQ(sample.note, "stratified_subsample=cell_type_x_batch;full_n_cells=100;used_n_cells=20");
}

// 10 of 40: shares 4.75, 4.5, .25, .25, .25 give 4, 4, 1, 1, 1, one too many: the first of the smallest loses its cell.
TEST(BatchSubsample, TakesFromTheSmallestShareFirst) {
  Design design;
  design.add("a", "1", 19);
  design.add("a", "2", 18);
  design.add("b", "1", 1);
  design.add("b", "2", 1);
  design.add("c", "1", 1);
  EXPECT_EQ(design.counts(design.draw(10)), (std::map<std::string, int>{{"a1", 4}, {"a2", 4}, {"b2", 1}, {"c1", 1}}));
}

// 10 of 30 in three strata: shares 3.67, 3.33, 3 leave one cell, for the largest fraction.
TEST(BatchSubsample, TheLargestFractionLostGetsTheRest) {
  Design design;
  design.add("a", "2", 9);
  design.add("a", "1", 10);
  design.add("b", "1", 11);
  EXPECT_EQ(design.counts(design.draw(10)), (std::map<std::string, int>{{"a2", 3}, {"a1", 3}, {"b1", 4}}));
}

TEST(BatchSubsample, MoreStrataThanCellsKeepTheLargest) {
  Design design;
  for (int at = 0; at < 6; ++at) design.add("label " + std::to_string(at), "1", at == 3 || at == 5 ? 4 : 2);
  EXPECT_EQ(design.counts(design.draw(3)),
            (std::map<std::string, int>{{"label 01", 1}, {"label 31", 1}, {"label 51", 1}}));
}

TEST(BatchSubsample, CellsAscendAndDependOnTheSeedAlone) {
  testing::Sample sample = testing::gaussian_sample(500, 2, 4, 3, 0);
  const auto draw = [&](std::uint64_t seed) {
    return batch_subsample(make_groups(sample.label), make_groups(sample.batch), 120, seed).cells;
  };
  EXPECT_EQ(draw(17), draw(17));
  EXPECT_NE(draw(17), draw(18));
  const std::vector<std::int64_t> cells = draw(17);
  EXPECT_EQ(cells.size(), 120U);
  EXPECT_TRUE(std::adjacent_find(cells.begin(), cells.end(), std::greater_equal<>()) == cells.end());
}

}  // namespace
}  // namespace scvet::metrics
