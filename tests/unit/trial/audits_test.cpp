#include "scvet/trial/audits.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "canonical_json.h"
#include "scvet/base/error.h"
#include "stored_vectors.h"

namespace scvet::trial {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

CellCountAudit synth_audit() {
  testing::VectorSet set;
  testing::read_synth(set);
  const testing::RowTable rows = testing::read_rows("synth/rows.tsv");
  const LabelVariants labels{set.data.y, rows.reals("y_d15"), rows.reals("y_equal_n"), rows.reals("y_n_free")};
  return audit_cell_count(labels, set.data.n_cells, row_norms(set.x_delta.view()), testing::stored_partial(),
                          rows_of_part(set.data.split, Part::kTest));
}

TEST(Audits, CorrelationsWithTheNumberOfCellsAreThoseOfTheVectors) {
  SKIP_WITHOUT_TRIAL_VECTORS();
  const CellCountAudit audit = synth_audit();
  const testing::json wanted = testing::read_json("synth/expected.json")["cell_count_audit"];
  const testing::json extra = testing::read_json("extra.json");
  EXPECT_NEAR(audit.rho.at("n_y"), wanted["rho_n_y"].get<double>(), 1e-12);
  EXPECT_NEAR(audit.rho.at("n_y_given_norm"), extra["spearman"]["n_y_given_xnorm"].get<double>(), 1e-12);
  EXPECT_NEAR(audit.rho.at("n_y_equal"), wanted["rho_n_yeq"].get<double>(), 1e-12);
  EXPECT_NEAR(audit.rho.at("n_y_free"), wanted["rho_n_ynfree"].get<double>(), 1e-12);
  EXPECT_NEAR(audit.rho.at("y_y_equal"), wanted["rho_y_yeq"].get<double>(), 1e-12);
  EXPECT_NEAR(audit.rho.at("y_y_free"), wanted["rho_y_ynfree"].get<double>(), 1e-12);
  EXPECT_NEAR(audit.rho.at("y_equal_y_free"), wanted["rho_yeq_ynfree"].get<double>(), 1e-12);
  EXPECT_NEAR(audit.rho.at("y_d15"), wanted["rho_y_d15"].get<double>(), 1e-12);
}

TEST(Audits, ResidualsAndTertilesAreThoseOfTheVectors) {
  SKIP_WITHOUT_TRIAL_VECTORS();
  const CellCountAudit audit = synth_audit();
  const testing::json wanted = testing::read_json("extra.json")["test_rows_partial"];
  for (const char* name : kCascadePredictors) {
    EXPECT_NEAR(audit.residual.at(name).rho_n, wanted["rho_n_residual"][name].get<double>(), 1e-12) << name;
    EXPECT_NEAR(audit.residual.at(name).rho_n_given_norm, wanted["rho_n_residual_given_xnorm"][name].get<double>(),
                1e-12)
        << name;
  }
  EXPECT_EQ(audit.q1, wanted["tertile_bounds"][0].get<double>());
  EXPECT_EQ(audit.q2, wanted["tertile_bounds"][1].get<double>());
  ASSERT_EQ(audit.groups.size(), 3u);
  for (std::size_t at = 0; at < 3; ++at) {
    const testing::json& group = wanted["tertiles"][std::to_string(at)];
    EXPECT_EQ(audit.groups[at].rows, group["rows"].get<std::int64_t>());
    for (const char* name : kCascadePredictors)
      EXPECT_NEAR(audit.groups[at].r2.at(name), group["r2_mean"][name].get<double>(), 1e-12) << name << at;
    EXPECT_NEAR(audit.groups[at].mb, audit.groups[at].r2.at("MODEL") - audit.groups[at].r2.at("BASELINE"), 1e-12);
  }
}

TEST(Audits, ConstantInputsHaveNoCorrelation) {
  const StoredTest test = testing::small_stored();
  const std::vector<std::int64_t> n(6, 10), rows{0, 1, 2, 3, 4, 5};
  const std::vector<double> norm{1, 2, 3, 4, 5, 6};
  const CellCountAudit audit = audit_cell_count({test.y, {}, {}, {}}, n, norm, test, rows);
  EXPECT_TRUE(std::isnan(audit.rho.at("n_y")));
  EXPECT_TRUE(std::isnan(audit.rho.at("n_d15")));
  EXPECT_EQ(audit.groups[2].rows, 6);  // equal n stay together
}

TEST(Audits, NullRowsGiveTheFloorAndTheBatchShare) {
  const std::vector<double> matched{.2, .4, kNaN, .6, .8}, ungrouped{.1, .2, .3, .4, .5}, real{.1, .9, kNaN, 2};
  const NullRowAudit audit =
      audit_null_rows(matched, ungrouped, std::vector<std::int64_t>{10, 20, 30, 40, 50}, real, 7);
  EXPECT_EQ(audit.count, 5);
  EXPECT_DOUBLE_EQ(audit.matched.mean, .5);
  EXPECT_DOUBLE_EQ(audit.matched.rho_n, 1);
  EXPECT_NEAR(audit.matched.q95, .77, 1e-12);
  EXPECT_NEAR(audit.batch_difference, .2, 1e-12);
  EXPECT_EQ(audit.real_rows, 3);
  EXPECT_DOUBLE_EQ(audit.real_below_q95, 1.0 / 3);
}

TEST(Audits, ClippedLabelsAreCountedPerPart) {
  const Split split{{Part::kTrain, Part::kTrain, Part::kVal, Part::kTest}, {0, 1, -1, -1}};
  const auto found = count_clipped(std::vector<double>{0, 1, 0, kNaN}, split);
  EXPECT_DOUBLE_EQ(found[0].share(), .5);
  EXPECT_DOUBLE_EQ(found[1].share(), 1);
  EXPECT_EQ(found[2].rows, 0);
  EXPECT_TRUE(std::isnan(found[2].share()));
}

TEST(EmbeddingFlags, ReextractionReportsTheLargestRelativeDifference) {
  const std::vector<double> cells{3, 4, 0, 2, 6, 8};
  const std::vector<std::int64_t> which{2, 0};
  std::vector<double> again{6, 8, 3, 4};
  EXPECT_EQ(compare_reextracted({cells.data(), 3, 2}, which, {again.data(), 2, 2}).largest, 0);
  again[0] += 0.1;
  const auto found = compare_reextracted({cells.data(), 3, 2}, which, {again.data(), 2, 2});
  EXPECT_NEAR(found.largest, 0.01, 1e-12);
  EXPECT_TRUE(found.flag);
  again[3] = kNaN;
  EXPECT_TRUE(compare_reextracted({cells.data(), 3, 2}, which, {again.data(), 2, 2}).flag);
  EXPECT_THROW(compare_reextracted({cells.data(), 3, 2}, which, {again.data(), 1, 2}), DataError);
  const std::vector<std::int64_t> drawn = reextract_cells("377764711cd5", 1000, 200);
  EXPECT_EQ(drawn.size(), 200u);
  EXPECT_EQ(drawn, reextract_cells("377764711cd5", 1000, 200));
  EXPECT_NE(drawn, reextract_cells("477764711cd5", 1000, 200));
}

TEST(Strata, SharesLeaveUnknownCellsOut) {
  const std::vector<CellOverlap> of_cell{CellOverlap::kExposed, CellOverlap::kClean, CellOverlap::kUnknown,
                                         CellOverlap::kClean};
  const OverlapShare found = overlap_share(of_cell, std::vector<std::int64_t>{0, 1, 2, 3});
  EXPECT_DOUBLE_EQ(found.share(), 1.0 / 3);
  EXPECT_EQ(found.unknown, 1);
  EXPECT_TRUE(std::isnan(overlap_share(of_cell, std::vector<std::int64_t>{2}).share()));
  EXPECT_EQ(stratum_of(0), Stratum::kClean);
  EXPECT_EQ(stratum_of(.49), Stratum::kLow);
  EXPECT_EQ(stratum_of(.5), Stratum::kHigh);
  EXPECT_EQ(stratum_of(kNaN), Stratum::kUnknown);
}

TEST(Strata, SmallStrataSayTooFewAndOnlyTheCleanOneHasACategory) {
  const StoredTest test = testing::small_stored(100);
  std::vector<OverlapShare> shares(100, OverlapShare{0, 10, 0});
  for (std::size_t row = 0; row < 40; ++row) shares[row] = {8, 2, 0};
  shares[99] = {1, 9, 0};
  Protocol protocol;
  protocol.bootstrap = 50;
  const OverlapAudit audit = audit_overlap(test, shares, {1, 49, 0}, protocol, "cells.tsv");
  EXPECT_TRUE(audit.nontargeting_touches_all);
  ASSERT_EQ(audit.strata.size(), 8u);
  const auto& clean = audit.strata[0];
  EXPECT_EQ(clean.rows, 59);
  EXPECT_TRUE(clean.sensitivity_category.has_value());
  EXPECT_TRUE(clean.a1.has_value() && clean.a1g.has_value());
  const auto& low = audit.strata[1];
  EXPECT_TRUE(low.too_few && !low.deltas && low.note.find("too few") == 0);
  const auto& high = audit.strata[2];
  EXPECT_EQ(high.rows, 40);
  EXPECT_TRUE(high.deltas.has_value());
  EXPECT_FALSE(high.sensitivity_category.has_value());
  EXPECT_EQ(audit.strata[4].rows, 58) << "by gene: the row that shares a gene with the low row leaves";
}

TEST(Audits, JsonHasEveryKeyAndIsCanonical) {
  const StoredTest test = testing::small_stored(100);
  std::vector<std::int64_t> n, rows;
  for (std::int64_t row = 0; row < 100; ++row) {
    n.push_back(10 + row % 30);
    rows.push_back(row);
  }
  Audits audits;
  audits.arm = "demo";
  audits.cell_count = audit_cell_count({test.y, {}, {}, {}}, n, std::vector<double>(test.y), test, rows);
  Json found = read_canonical(audits_json(audits), "audits.json");
  for (const char* key :
       {"schema", "arm", "lock", "cell_count", "null_rows", "overlap", "split_half", "clipped", "embedding"})
    EXPECT_TRUE(found.contains(key)) << key;
  EXPECT_TRUE(found["cell_count"]["rho"]["n_d15"].is_null());
  EXPECT_EQ(found["cell_count"]["tertiles"]["bounds"].size(), 2u);
  Protocol protocol;
  protocol.bootstrap = 20;
  audits.overlap = audit_overlap(test, std::vector<OverlapShare>(100, OverlapShare{0, 5, 0}), {0, 5, 0}, protocol, "x");
  audits.split_half = SplitHalf{.r = .5, .ceiling = 2.0 / 3, .replicates = 5};
  audits.embedding = EmbeddingFlags{};
  audits.null_rows = NullRowAudit{};
  found = read_canonical(audits_json(audits), "audits.json");
  EXPECT_EQ(found["overlap"]["strata"].size(), 8u);
  EXPECT_EQ(found["overlap"]["strata"][0]["a1"]["unit"], "row");
  EXPECT_TRUE(found["overlap"]["strata"][1]["mb"].is_null());
}

}  // namespace
}  // namespace scvet::trial
