#include "scvet/data/score_table.h"

#include <gtest/gtest.h>

namespace scvet {
namespace {

const std::vector<ScoreRow> kRows = {
    {"lung", "pca", "NMI", 0.1, "clustering=leiden;n_clusters=5", "bio_conservation", 20, 8, 3, -1},
    {"lung", "pca", "ASW", std::numeric_limits<double>::quiet_NaN(), "one, label", "bio_conservation", 20, 8, 3, -1},
    {"eye", "pca", "ASW", std::numeric_limits<double>::quiet_NaN(), "none", "bio_conservation", 9, 8, 1, 2}};

TEST(ScoreTable, MissingValuesAndUncountedBatchesAreEmptyFields) {
  EXPECT_EQ(scores_to_csv(kRows),
            "sample_id,method,metric,value,note,metric_group,n_cells,n_dims,n_labels,n_batches\n"
            "lung,pca,NMI,0.1,clustering=leiden;n_clusters=5,bio_conservation,20,8,3,\n"
            "lung,pca,ASW,,\"one, label\",bio_conservation,20,8,3,\n"
            "eye,pca,ASW,,none,bio_conservation,9,8,1,2\n");
}

TEST(ScoreTable, TheWideTableHasAColumnAMetricInCodePointOrder) {
  EXPECT_EQ(scores_to_wide_csv(kRows, false), "sample_id,method,ASW,NMI\nlung,pca,,0.1\neye,pca,,\n");
  EXPECT_EQ(scores_to_wide_csv(kRows, true), "sample_id,method,ASW,NMI\nlung,pca,,0.1\n");
}

}  // namespace
}  // namespace scvet
