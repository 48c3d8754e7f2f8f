// Every query and every field of the published vector, end to end.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "scvet/audit/audit.h"
#include "unit/audit/naive_engine.h"

namespace scvet::audit {
namespace {

using nlohmann::json;

constexpr double kRelative = 1e-9, kLift = 1e-7;

sketch::CellSets read_sets(const json& lists, std::uint32_t n_tokens) {
  sketch::CellSets sets(n_tokens);
  for (const json& list : lists) sets.add({list.get<std::vector<std::uint16_t>>(), {}});
  return sets;
}

std::int64_t lowest(const json& rows) { return rows.empty() ? -1 : rows[0].get<std::int64_t>(); }

void expect_near(double found, double expected, const char* what) {
  EXPECT_NEAR(found, expected, kRelative * std::abs(expected)) << what;
}

class GapAudit : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    std::ifstream file(SCVET_REFERENCE_DIR "/audit/gap_audit.json");
    if (!file) return;
    vector_ = json::parse(file);
    const auto vocabulary = vector_["vocab"].get<std::uint32_t>();
    queries_ = read_sets(vector_["queries"], vocabulary);
    reference_ = read_sets(vector_["reference"], vocabulary);
    AuditOptions options;
    options.engine = &testing::naive_engine;
    options.controls = false;
    audit_ = audit_dataset("vector", {{"all", &queries_, &reference_}}, {}, options);
  }
  void SetUp() override {
    if (vector_.is_null()) GTEST_SKIP() << "no reference vectors in " SCVET_REFERENCE_DIR;
  }
  static inline json vector_;
  static inline sketch::CellSets queries_{0}, reference_{0};
  static inline DatasetAudit audit_;
};

TEST_F(GapAudit, NearestCellsAreExact) {
  ASSERT_EQ(audit_.cells.size(), vector_["expect"].size());
  for (std::size_t query = 0; query < audit_.cells.size(); ++query) {
    SCOPED_TRACE(query);
    const json& expect = vector_["expect"][query];
    const CellOutcome& cell = audit_.cells[query];
    EXPECT_EQ(cell.size, expect["size"].get<std::uint32_t>());
    // The vector keeps the size's status and undecidable_rare apart; here the latter is a status of its own.
    const bool rare = expect.value("undecidable_rare", false);
    EXPECT_EQ(status_name(cell.status), rare ? "undecidable_rare" : expect["status"].get<std::string>());
    if (!expect.contains("jstar")) {
      EXPECT_EQ(cell.best.row, -1);
      continue;
    }
    EXPECT_EQ(cell.best.intersection, expect["jstar"][0].get<std::uint32_t>());
    EXPECT_EQ(cell.best.union_size, expect["jstar"][1].get<std::uint32_t>());
    EXPECT_EQ(cell.best.row, expect["row"].get<std::int64_t>());
    EXPECT_EQ(cell.best.multiplicity, expect["multiplicity"].get<std::uint32_t>());
    EXPECT_EQ(cell.second.intersection, expect["j2"][0].get<std::uint32_t>());
    EXPECT_EQ(cell.second.union_size, expect["j2"][1].get<std::uint32_t>());
    EXPECT_EQ(cell.containment.intersection, expect["containment"][0].get<std::uint32_t>());
    EXPECT_EQ(cell.containment.row, expect["containment_row"].get<std::int64_t>());
    EXPECT_NEAR(cell.rho, expect["rho"].get<double>(), kRelative);
  }
}

TEST_F(GapAudit, IdentitiesAreExact) {
  for (std::size_t query = 0; query < audit_.cells.size(); ++query) {
    SCOPED_TRACE(query);
    const json& expect = vector_["expect"][query];
    const CellOutcome& cell = audit_.cells[query];
    EXPECT_EQ(cell.identical_set, lowest(expect["identical_set"]));
    EXPECT_EQ(cell.identical_order, lowest(expect["identical_order"]));
    EXPECT_EQ(cell.identical_counts, -1);
    EXPECT_EQ(cell.exact, expect["exact"].get<bool>());
  }
  EXPECT_EQ(audit_.identities[0].proves, vector_["benchmark_pairs_same_set_other_order"] == 0);
}

TEST_F(GapAudit, PoolsAreOrderedAsPublished) {
  for (std::size_t query = 0; query < audit_.cells.size(); ++query) {
    const json& expect = vector_["expect"][query];
    if (!expect.contains("pool_top40")) continue;
    SCOPED_TRACE(query);
    const std::vector<PoolEntry>& pool = audit_.cells[query].pool;
    ASSERT_EQ(pool.size(), expect["pool_top40"].size());
    for (std::size_t place = 0; place < pool.size(); ++place) {
      const json& entry = expect["pool_top40"][place];
      EXPECT_EQ(pool[place].match.intersection, entry[0].get<std::uint32_t>());
      EXPECT_EQ(pool[place].match.union_size, entry[1].get<std::uint32_t>());
      EXPECT_EQ(pool[place].reference ? "ref" : "bench", entry[2].get<std::string>());
      EXPECT_EQ(pool[place].match.row, entry[3].get<std::int64_t>());
    }
  }
}

TEST_F(GapAudit, ProbabilitiesLiftAndFlagsAreAsPublished) {
  int tested = 0;
  for (std::size_t query = 0; query < audit_.cells.size(); ++query) {
    SCOPED_TRACE(query);
    const json& expect = vector_["expect"][query];
    const CellOutcome& cell = audit_.cells[query];
    if (!expect.contains("p_same")) {
      EXPECT_TRUE(std::isnan(cell.p_same) && std::isnan(cell.q_same) && std::isnan(cell.lift));
      EXPECT_EQ(cell.d, 0);
      continue;
    }
    ++tested;
    for (std::size_t d = 0; d < expect["p_d"].size(); ++d) expect_near(cell.p_d[d], expect["p_d"][d], "p_d");
    EXPECT_EQ(cell.d, expect["d"].get<int>());
    expect_near(cell.p_same, expect["p_same"], "p_same");
    expect_near(cell.q_same, expect["q_same"], "q_same");
    EXPECT_NEAR(cell.lift, expect["lift"].get<double>(), kLift * std::abs(expect["lift"].get<double>()));
    EXPECT_NEAR(cell.z_background, expect["z_background"].get<double>(), kLift);
    EXPECT_EQ(cell.reference_in_cluster, expect["top_d_has_reference"].get<bool>());
    EXPECT_EQ(cell.suspect, expect["suspect"].get<bool>());
    EXPECT_EQ(cell.same_cell, expect["same_cell"].get<bool>());
    EXPECT_EQ(cell.benchmark_duplicate, expect["benchmark_duplicate"].get<bool>());
    EXPECT_EQ(cell.status == CellStatus::kUndecidableRare, expect["undecidable_rare"].get<bool>());
    EXPECT_EQ(cell.crowded, expect["crowded"].get<bool>());
  }
  EXPECT_EQ(tested, 99);
}

TEST_F(GapAudit, TheFitOfTheLiftIsAsPublished) {
  const json& fit = vector_["fit"];
  EXPECT_EQ(audit_.fit.n_cells, 99);
  expect_near(audit_.fit.mean_ln_size, fit["mean_ln_size"], "mean_ln_size");
  for (std::size_t power = 0; power < 3; ++power)
    EXPECT_NEAR(audit_.fit.coefficients[power], fit["coef"][power].get<double>(), kLift);
  EXPECT_NEAR(audit_.fit.median, fit["median"].get<double>(), kRelative);
  EXPECT_NEAR(audit_.fit.scale, fit["scale"].get<double>(), kRelative);
}

}  // namespace
}  // namespace scvet::audit
