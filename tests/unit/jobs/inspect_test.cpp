#include "scvet/jobs/inspect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "scvet/base/error.h"
#include "scvet/base/files.h"

namespace scvet::jobs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const char* const kTiny = SCVET_TEST_DATA "/tenx_tiny.h5";

TEST(Inspect, A10xFileIsSummarisedWithItsFeatures) {
  const InspectResult result = inspect({.path = kTiny});
  EXPECT_EQ(result.format, "tenx_h5");
  ASSERT_EQ(result.cells.size(), 1u);
  const CellsSummary& cells = result.cells[0];
  EXPECT_EQ(cells.obs.n, 3);
  EXPECT_EQ(cells.matrices[0].values.state, ValueState::kCounts);
  EXPECT_EQ(cells.matrices[0].values.sum, 24);
  EXPECT_THAT(cells.feature_types, ElementsAre(std::pair("Antibody Capture", 1), std::pair("Gene Expression", 2)));
  EXPECT_THAT(cells.matrices[0].values.row_sums, ElementsAre(12, 9, 3));
}

TEST(Inspect, JsonIsOneObjectAndCarriesTheSameNumbers) {
  const auto json = nlohmann::json::parse(inspect_json(inspect({.path = kTiny})));
  EXPECT_EQ(json["matrix"]["nnz"], 5);
  EXPECT_EQ(json["matrix"]["indptr_dtype"], "int64");
  EXPECT_EQ(json["matrix"]["values"]["state"], "counts");
  EXPECT_TRUE(json["faults"].empty());
}

TEST(Inspect, TextNamesStateAndOtherFeatures) {
  const std::string text = inspect_text(inspect({.path = kTiny}));
  EXPECT_THAT(text, testing::AllOf(HasSubstr("3 x 3"), HasSubstr("counts: all 5"), HasSubstr("Antibody Capture (1)")));
}

TEST(Inspect, ATableReportsRepeatedNamesAndMissingValues) {
  const std::string path = testing::TempDir() + "inspect.csv";
  write_file(path, "index,score\na,1.5\na,NA\n");
  const InspectResult result = inspect({.path = path});
  ASSERT_TRUE(result.table.has_value());
  EXPECT_EQ(result.table->rows.duplicate.name, "a");
  EXPECT_EQ(result.table->rows.columns[0].n_missing, 1);
  EXPECT_TRUE(result.table->embedding);
  EXPECT_THAT(inspect_text(result), HasSubstr("NAMES NOT UNIQUE"));
}

TEST(Inspect, FlagsForOtherFormatsAndFilesOfNoFormatAreErrors) {
  EXPECT_THROW(inspect({.path = kTiny, .modality = "rna"}), UsageError);
  EXPECT_THROW(inspect({.path = "/nowhere/x.h5ad"}), DataError);
  const std::string page = testing::TempDir() + "page.h5ad";
  write_file(page, "<html>404</html>\n");
  EXPECT_THROW(inspect({.path = page}), DataError);
}

}  // namespace
}  // namespace scvet::jobs
