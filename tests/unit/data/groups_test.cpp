#include "scvet/data/groups.h"

#include <gtest/gtest.h>

namespace scvet {
namespace {

TEST(Groups, NamesStandInCodePointOrderWhateverTheCategories) {
  Column column;
  column.kind = Column::Kind::kCategorical;
  column.categories = {"b", "unused", "a", "B"};
  column.codes = {0, 2, -1, 3, 0};
  const Groups groups = make_groups(column);
  EXPECT_EQ(groups.names, (std::vector<std::string>{"B", "a", "b"}));
  EXPECT_EQ(groups.of_cell, (std::vector<std::int32_t>{2, 1, -1, 0, 2}));
  EXPECT_EQ(groups.counts(), (std::vector<std::int64_t>{1, 1, 2}));
  EXPECT_EQ(groups.members()[2], (std::vector<std::int64_t>{0, 4}));
}

TEST(Groups, EmptyTextsAreMissing) {
  const std::vector<std::string> texts = {"x", "", "w", "x"};
  const Groups groups = make_groups(texts);
  EXPECT_EQ(groups.names, (std::vector<std::string>{"w", "x"}));
  EXPECT_EQ(groups.of_cell, (std::vector<std::int32_t>{1, -1, 0, 1}));
}

TEST(Groups, ASelectionForgetsGroupsWithoutACell) {
  const std::vector<std::string> texts = {"x", "y", "w", "x"};
  const std::vector<std::int64_t> cells = {3, 1};
  const Groups groups = select_groups(make_groups(texts), cells);
  EXPECT_EQ(groups.names, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(groups.of_cell, (std::vector<std::int32_t>{0, 1}));
}

}  // namespace
}  // namespace scvet
