#include "scvet/audit/sensitivity.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "scvet/base/parallel.h"
#include "scvet/base/random.h"
#include "scvet/base/registry.h"
#include "subsample.h"
#include "unit/audit/simulated.h"

namespace scvet::audit {
namespace {

using sketch::CellSets;
using testing::Population;

// 200 strangers and 40 members, of them 20 whole.
struct Benchmark {
  Population population{31, 2, 900};
  CellSets cells{900}, reference{900};
  AuditOptions options;
  Benchmark() {
    options.engine = &find_variant(sketch::engines(), "exact", "engine");
    for (std::uint64_t row = 0; row < 400; ++row) reference.add(cell(1000 + row));
    for (std::uint64_t row = 0; row < 200; ++row) cells.add(cell(row));
    for (std::uint64_t row = 0; row < 20; ++row) cells.add(cell(1000 + row));
    for (std::uint64_t row = 20; row < 40; ++row) cells.add(population.thinned(cell(1000 + row), .6, row));
  }
  sketch::CellSet cell(std::uint64_t index) const { return population.cell(static_cast<int>(index % 2), index, 900); }
  std::vector<ReferenceGroup> groups() const { return {{"all", &cells, &reference}}; }
  DatasetAudit audit() const { return audit_dataset("set", groups(), {}, options); }
};

const SensitivityRow& row_of(const Sensitivity& result, const std::string& setting) {
  for (const SensitivityRow& row : result.rows)
    if (row.setting == setting) return row;
  throw std::runtime_error("no row " + setting);
}

TEST(Sensitivity, HasARowPerEngineWithTheExactOneAsItsMeasure) {
  const Benchmark benchmark;
  const DatasetAudit audit = benchmark.audit();
  ASSERT_EQ(audit.verdict.kind, VerdictKind::kExposed);
  const Sensitivity result = measure_sensitivity(benchmark.groups(), {}, benchmark.options, audit, {});
  EXPECT_EQ(result.n_cells, 240);
  EXPECT_EQ(result.n_references, 400);
  double mean = 0;
  for (const CellOutcome& cell : audit.cells) mean += cell.best.jaccard() / 240;
  for (const sketch::EngineRecord* engine : sketch::engines()) {
    const SensitivityRow& row = row_of(result, engine->name);
    EXPECT_EQ(row.kind, "engine");
    EXPECT_EQ(row.n_exact, 20);  // identity hangs on no engine
    EXPECT_EQ(row.verdict, VerdictKind::kExposed);
    EXPECT_FALSE(row.flips);
    EXPECT_NEAR(row.mean_jstar, mean + row.bias, 1e-12);
    EXPECT_EQ(row.n_same_cell, engine->exact_jaccard ? audit.flagged_same_cell.hits : -1);
    if (engine->all_compared) {
      EXPECT_EQ(row.share_no_candidate, 0);
    }
    if (!engine->exact_jaccard) continue;
    EXPECT_EQ(row.recall, 1);
    EXPECT_EQ(row.bias, 0);
  }
}

TEST(Sensitivity, AVerdictThatRestsOnSameCellAloneFlipsUnderEveryOtherEngine) {
  Benchmark benchmark;
  CellSets thinned(900);
  sketch::CellSet cell;
  for (std::int64_t row = 0; row < 240; ++row) {
    if (row >= 200 && row < 220) continue;  // no whole member
    benchmark.cells.read(row, cell);
    thinned.add(cell);
  }
  benchmark.cells = thinned;
  const DatasetAudit audit = benchmark.audit();
  ASSERT_EQ(audit.verdict.kind, VerdictKind::kExposed) << audit.verdict.sentence;
  const Sensitivity result = measure_sensitivity(benchmark.groups(), {}, benchmark.options, audit, {});
  for (const sketch::EngineRecord* engine : sketch::engines())
    EXPECT_EQ(row_of(result, engine->name).flips, !engine->exact_jaccard) << engine->name;
}

TEST(Sensitivity, NestedReferencesAreAuditedAgainAndLeastGenesOnlyMoveTheLevels) {
  const Benchmark benchmark;
  const DatasetAudit audit = benchmark.audit();
  SensitivityOptions wanted;
  wanted.reference_sizes = {100, 200, 400, 100000};
  wanted.n_seeds = 3;
  const Sensitivity result = measure_sensitivity(benchmark.groups(), {}, benchmark.options, audit, wanted);
  const SensitivityRow &small = row_of(result, "100 references"), &half = row_of(result, "200 references");
  EXPECT_LE(small.mean_jstar, half.mean_jstar);  // nested: nothing is lost
  EXPECT_LE(small.n_exact, half.n_exact);
  EXPECT_LT(half.n_exact, 20);
  EXPECT_GT(half.n_exact, 0);
  EXPECT_EQ(
      std::count_if(result.rows.begin(), result.rows.end(), [](const auto& row) { return row.kind == "references"; }),
      2);
  const auto n_hashing = std::count_if(sketch::engines().begin(), sketch::engines().end(),
                                       [](const auto* engine) { return !engine->exact_jaccard; });
  EXPECT_EQ(std::count_if(result.rows.begin(), result.rows.end(), [](const auto& row) { return row.kind == "seed"; }),
            2 * n_hashing);
  const SensitivityRow& least = row_of(result, "at least 100 genes");
  EXPECT_EQ(least.verdict, audit.verdict.kind);
  EXPECT_LE(least.n_cells, 240);
}

TEST(Sensitivity, IsTheSameForAnyNumberOfWorkers) {
  const Benchmark benchmark;
  const DatasetAudit audit = benchmark.audit();
  SensitivityOptions wanted;
  wanted.n_cells = 50;
  wanted.n_references = 150;
  set_workers(1);
  const Sensitivity one = measure_sensitivity(benchmark.groups(), {}, benchmark.options, audit, wanted);
  set_workers(4);
  const Sensitivity four = measure_sensitivity(benchmark.groups(), {}, benchmark.options, audit, wanted);
  set_workers(0);
  EXPECT_EQ(one.n_cells, 50);
  EXPECT_EQ(one.n_references, 150);
  ASSERT_EQ(one.rows.size(), four.rows.size());
  for (std::size_t row = 0; row < one.rows.size(); ++row) {
    if (one.rows[row].kind != "engine") continue;
    EXPECT_EQ(one.rows[row].bias, four.rows[row].bias);
    EXPECT_EQ(one.rows[row].mean_jstar, four.rows[row].mean_jstar);
    EXPECT_EQ(one.rows[row].recall, four.rows[row].recall);
  }
}

TEST(NestedRows, AreTheSmallestKeysAndLieInsideOneAnother) {
  const auto small = nested_rows(1000, 50, 9), large = nested_rows(1000, 300, 9);
  EXPECT_EQ(small.size(), 50u);
  EXPECT_TRUE(std::is_sorted(small.begin(), small.end()));
  EXPECT_TRUE(std::includes(large.begin(), large.end(), small.begin(), small.end()));
  std::uint64_t largest = 0;
  for (const std::int64_t row : small) largest = std::max(largest, mix(9 ^ static_cast<std::uint64_t>(row)));
  const std::set<std::int64_t> kept(small.begin(), small.end());
  for (std::int64_t row = 0; row < 1000; ++row)
    if (!kept.contains(row)) {
      EXPECT_GT(mix(9 ^ static_cast<std::uint64_t>(row)), largest);
    }
  EXPECT_EQ(nested_rows(7, 7, 1).size(), 7u);
}

}  // namespace
}  // namespace scvet::audit
