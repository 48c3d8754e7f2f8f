#include "stratified_folds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace scvet::metrics {
namespace {

// RandomState(42).shuffle(arange(12)) is 10 9 0 8 5 2 1 11 4 7 3 6: a published vector.
TEST(StratifiedFolds, OneLabelIsNumpysShuffleOfTheDeal) {
  // 12 cells of one label: the deal is 0 0 0 1 1 1 2 2 3 3 4 4.
  const std::vector<std::int32_t> deal{0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 4, 4}, order{10, 9, 0, 8, 5, 2, 1, 11, 4, 7, 3, 6};
  std::vector<std::int32_t> expected;
  for (const std::int32_t at : order) expected.push_back(deal[static_cast<std::size_t>(at)]);
  EXPECT_EQ(stratified_folds(std::vector<std::int32_t>(12, 3), 5, 42), expected);
}

TEST(StratifiedFolds, EveryLabelIsSpreadAndFoldsDifferByOneCell) {
  std::vector<std::int32_t> labels;
  for (int cell = 0; cell < 203; ++cell) labels.push_back(cell % 7 == 0 ? 2 : cell % 3 == 0 ? 0 : 1);
  const auto fold = stratified_folds(labels, 5, 42);
  std::map<std::int32_t, std::map<std::int32_t, int>> of_label;
  std::map<std::int32_t, int> sizes;
  for (std::size_t cell = 0; cell < labels.size(); ++cell) {
    ++of_label[labels[cell]][fold[cell]];
    ++sizes[fold[cell]];
  }
  for (const auto& [label, counts] : of_label) {
    ASSERT_EQ(counts.size(), 5u) << label;
    const auto [least, most] = std::minmax_element(counts.begin(), counts.end(),
                                                   [](const auto& a, const auto& b) { return a.second < b.second; });
    EXPECT_LE(most->second - least->second, 1) << label;
  }
  for (const auto& [at, size] : sizes) EXPECT_TRUE(size == 40 || size == 41) << at;
}

TEST(StratifiedFolds, LabelsAreTakenByFirstAppearanceAndNotByNumber) {
  const std::vector<std::int32_t> labels{5, 5, 1, 5, 1, 5, 1, 5, 1, 1, 1, 5};
  std::vector<std::int32_t> other;
  for (const std::int32_t label : labels) other.push_back(label == 5 ? 0 : 9);
  EXPECT_EQ(stratified_folds(labels, 5, 42), stratified_folds(other, 5, 42));
}

TEST(StratifiedFolds, CellsLeftOutAreInNoFoldAndChangeNothing) {
  const std::vector<std::int32_t> labels{0, 0, 1, 0, 1, 0, 1, 0, 1, 1};
  const std::vector<std::int32_t> with{-1, 0, 0, 1, 0, -1, 1, 0, 1, 0, 1, 1, -1};
  auto fold = stratified_folds(with, 5, 42);
  EXPECT_EQ(fold[0], -1);
  std::erase(fold, -1);
  EXPECT_EQ(fold, stratified_folds(labels, 5, 42));
}

}  // namespace
}  // namespace scvet::metrics
