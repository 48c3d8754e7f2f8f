#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "cells_by_name.h"
#include "scvet/base/error.h"
#include "scvet/base/files.h"
#include "scvet/jobs/benchmark.h"

namespace scvet::jobs {
namespace {

TEST(ScoreFiles, RowsComeBackAsTheyWereWritten) {
  const std::string path = std::string(::testing::TempDir()) + "scvet_scores.csv";
  std::vector<ScoreRow> rows = {
      {"01", "NA", "Acc@kNN", 0.1 + 0.2, "a=1;\"b\", c", "bio_conservation", 20, 8, 3, -1},
      {"lung", "pca", "kBET", std::nan(""), "insufficient_batches", "batch_mixing", 20, 8, 3, 1}};
  write_file(path, scores_to_csv(rows));
  const std::vector<ScoreRow> back = read_scores(path);
  ASSERT_EQ(back.size(), 2U);
  EXPECT_EQ(back[0].value, 0.1 + 0.2);
  EXPECT_TRUE(std::isnan(back[1].value));
  EXPECT_EQ(scores_to_csv(back), scores_to_csv(rows));
  std::filesystem::remove(path);
}

TEST(ScoreFiles, ATableWithoutAColumnIsNamed) {
  const std::string path = std::string(::testing::TempDir()) + "scvet_no_scores.csv";
  write_file(path, "sample_id,metric,value\nlung,NMI,1\n");
  try {
    read_scores(path);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_EQ(error.facts().field, "method");
    EXPECT_NE(std::string(error.what()).find(path), std::string::npos);
  }
  std::filesystem::remove(path);
}

TEST(CellsByName, PlacesFollowTheNamesWanted) {
  EXPECT_EQ(cells_by_name({"b", "a"}, {"a", "c", "b"}, "x", "y"), (std::vector<std::int64_t>{2, 0}));
}

TEST(CellsByName, MissingAndRepeatedNamesAreErrors) {
  EXPECT_THROW(cells_by_name({"a", "z"}, {"a", "b"}, "x", "y"), DataError);
  EXPECT_THROW(cells_by_name({"a"}, {"a", "b", "a"}, "x", "y"), DataError);
}

}  // namespace
}  // namespace scvet::jobs
