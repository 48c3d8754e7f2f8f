// Rows and controls from obs, and what is refused there.
#include "scvet/trial/design.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "memory_screen.h"
#include "scvet/base/error.h"

namespace scvet::trial {
namespace {

Table obs_of(const std::vector<std::string>& rows, const std::vector<std::string>& targets) {
  Table obs;
  for (std::size_t cell = 0; cell < rows.size(); ++cell) obs.names.push_back("c" + std::to_string(cell));
  obs.columns = {string_column("gene_transcript", rows), string_column("target_gene", targets),
                 string_column("gem_group", std::vector<std::string>(rows.size(), "1"))};
  return obs;
}

std::string reason_of(const Table& obs, const DesignOptions& options = {}) {
  try {
    read_design(obs, options, "screen.h5ad");
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("screen.h5ad"));
    return error.facts().reason;
  }
  return "";
}

TEST(Design, RowsAreInTheOrderOfTheirBytesAndCellsInThatOfObs) {
  const Design design = read_design(
      obs_of({"b", "Z", "\xC3\xA4", "b", "nt", "x", ""}, {"B", "Z", "A", "B", "non-targeting", "", "B"}), {}, "f");
  ASSERT_EQ(design.rows.size(), 3u);
  EXPECT_EQ(design.rows[0].id, "Z");
  EXPECT_EQ(design.rows[1].id, "b");
  EXPECT_EQ(design.rows[2].id, "\xC3\xA4");
  EXPECT_THAT(design.rows[1].cells, ::testing::ElementsAre(0, 3));
  EXPECT_THAT(design.nt_cells, ::testing::ElementsAre(4));
}

TEST(Design, RefusalsHaveTheirReasons) {
  EXPECT_EQ(reason_of(obs_of({"a", "nt"}, {"A", "non-targeting"}), {.row_key = "guide"}), "column_missing");
  EXPECT_EQ(reason_of(obs_of({"a", "nt"}, {"A", "non-targeting"}), {.batch_key = "lane"}), "column_missing");
  EXPECT_EQ(reason_of(obs_of({"a", "a", "nt"}, {"A", "B", "non-targeting"})), "target_ambiguous");
  EXPECT_EQ(reason_of(obs_of({"a", "b"}, {"A", "B"})), "no_controls");
  EXPECT_EQ(reason_of(obs_of({"a\tb", "nt"}, {"A", "non-targeting"})), "bad_name");
  Table twice = obs_of({"a", "nt"}, {"A", "non-targeting"});
  twice.names[1] = twice.names[0];
  EXPECT_EQ(reason_of(twice), "duplicate_names");
}

TEST(Design, DigestIsThatOfTheCellsWhateverTheirOrder) {
  const testing::SmallScreen screen = testing::small_screen();
  const std::string digest = screen.design().digest;
  EXPECT_EQ(screen.shuffled(1).design().digest, digest);
  testing::SmallScreen other = screen;
  other.obs.columns[2].strings[0] += "x";
  EXPECT_NE(other.design().digest, digest);
}

TEST(Design, WithoutBatchesNoColumnIsNeeded) {
  Table obs = obs_of({"a", "nt"}, {"A", "non-targeting"});
  obs.columns.pop_back();
  const Design design = read_design(obs, {.batch_key = "none"}, "f");
  EXPECT_TRUE(design.batches.empty());
  EXPECT_THAT(design.batch_of_cell, ::testing::Each(-1));
}

}  // namespace
}  // namespace scvet::trial
