#include "controls.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "scvet/audit/texts.h"
#include "scvet/base/random.h"
#include "unit/audit/simulated.h"

namespace scvet::audit {
namespace {

using sketch::CellSet;
using sketch::CellSets;
using testing::Population;
using testing::test_options;

struct Bench {
  explicit Bench(const Population& population) : benchmark(population.n_genes()), reference(population.n_genes()) {}
  CellSets benchmark, reference;
  CellAnnotations annotations;
  std::vector<ReferenceGroup> groups() const { return {{"all", &benchmark, &reference}}; }
  void label(std::int32_t code) { annotations.label.push_back(code); }
};

// Cells of several types; the reference holds other cells of the same types.
Bench strangers(const Population& population, int n_types, int per_type, double depth = 1500) {
  Bench bench(population);
  for (int type = 0; type < n_types; ++type) bench.annotations.label_levels.push_back("type " + std::to_string(type));
  for (int index = 0; index < per_type; ++index)
    for (int type = 0; type < n_types; ++type) {
      bench.benchmark.add(population.cell(type, static_cast<std::uint64_t>(index), depth));
      bench.reference.add(population.cell(type, static_cast<std::uint64_t>(10000 + index), depth));
      bench.label(type);
    }
  return bench;
}

CellsAudit audited(const Bench& bench, const AuditOptions& options) {
  CellsAudit audit = audit_cells(bench.groups(), options);
  decide_flags(audit.cells, audit.groups, bench.annotations.label, options);
  return audit;
}

TEST(Plants, AreTheSmallestKeysAmongUnflaggedCellsWithGenes) {
  const Population population(1, 2);
  Bench bench = strangers(population, 2, 40);
  bench.benchmark.add(population.cell(0, 500));
  bench.reference.add(population.cell(0, 500));  // a member
  bench.benchmark.add({{1, 2}, {1, 1}});         // too few genes
  const AuditOptions options = test_options();
  bench.annotations.label.insert(bench.annotations.label.end(), {0, 0});
  const CellsAudit audit = audited(bench, options);
  ASSERT_TRUE(audit.cells[80].exact && audit.cells[80].suspect);
  std::vector<std::pair<std::uint64_t, std::int64_t>> keys;
  for (std::int64_t row = 0; row < 82; ++row)
    if (!audit.cells[static_cast<std::size_t>(row)].exact && !audit.cells[static_cast<std::size_t>(row)].suspect &&
        row != 81)
      keys.emplace_back(mix(options.seed ^ static_cast<std::uint64_t>(row)), row);
  std::sort(keys.begin(), keys.end());
  const std::vector<std::int64_t> rows = plant_rows(audit, options);
  ASSERT_EQ(rows.size(), 82u / 5);
  for (std::size_t at = 0; at < rows.size(); ++at) EXPECT_EQ(rows[at], keys[at].second);
}

TEST(Plants, WholeAndHalvedCopiesAreFoundAndPowerFallsWithThinning) {
  const Population population(2, 3);
  const Bench bench = strangers(population, 3, 80);
  const AuditOptions options = test_options();
  const auto plants = plant_copies(bench.groups(), audited(bench, options), options);
  ASSERT_EQ(plants.size(), 1u);
  ASSERT_EQ(plants[0].size(), 5u);
  EXPECT_EQ(plants[0][0].found.n, 48);
  EXPECT_EQ(plants[0][0].found.hits, 48);
  EXPECT_GE(plants[0][2].found.share, .9);  // half of the molecules
  for (std::size_t at = 1; at < 5; ++at) EXPECT_LE(plants[0][at].found.hits, plants[0][at - 1].found.hits);
  EXPECT_FALSE(plants[0][0].by_gene);
}

// The same answer as putting the copies into the reference for real, one at a time.
TEST(Plants, AgreeWithCopiesThatAreReallyInTheReference) {
  const Population population(3, 2);
  Bench bench = strangers(population, 2, 45, 500);
  AuditOptions options = test_options();
  const CellsAudit audit = audited(bench, options);
  const std::vector<std::int64_t> rows = plant_rows(audit, options);
  const auto plants = plant_copies(bench.groups(), audit, options);
  std::int64_t hits = 0;
  for (const std::int64_t row : rows) {
    CellSet cell, copy;
    bench.benchmark.read(row, cell);
    std::vector<std::pair<std::uint16_t, std::uint32_t>> genes;
    for (std::size_t at = 0; at < cell.tokens.size(); ++at) genes.emplace_back(cell.tokens[at], cell.counts[at]);
    std::sort(genes.begin(), genes.end());
    Stream stream(stream_key(options.seed + 2, static_cast<std::uint64_t>(row)));
    for (const auto& [token, count] : genes) {
      std::uint32_t kept = 0;
      for (std::uint32_t molecule = 0; molecule < count; ++molecule) kept += stream.unit() < .3;
      if (kept == 0) continue;
      copy.tokens.push_back(token);
      copy.counts.push_back(kept);
    }
    CellSets with_copy = bench.reference;
    with_copy.add(copy);
    const CellsAudit real = audit_cells({{"all", &bench.benchmark, &with_copy}}, options);
    const CellOutcome& found = real.cells[static_cast<std::size_t>(row)];
    bool copy_in_cluster = false;
    for (int place = 0; place < found.d; ++place)
      copy_in_cluster |= found.pool[static_cast<std::size_t>(place)].match.row == with_copy.n_cells() - 1 &&
                         found.pool[static_cast<std::size_t>(place)].reference;
    hits += found.p_same <= .001 && found.lift >= 3 && copy_in_cluster;
  }
  EXPECT_EQ(plants[0][3].kept, .3);
  EXPECT_NEAR(static_cast<double>(plants[0][3].found.hits), static_cast<double>(hits),
              1);  // the lift's fit moves a hair
  EXPECT_GT(hits, 0);
  EXPECT_LT(hits, static_cast<std::int64_t>(rows.size()));
}

TEST(Plants, WithoutCountsGenesAreKeptAndTheSentenceSaysSo) {
  const Population population(4, 2);
  Bench bench(population);
  for (std::uint64_t index = 0; index < 60; ++index) {
    bench.benchmark.add(testing::without_counts(population.cell(static_cast<int>(index % 2), index)));
    bench.reference.add(testing::without_counts(population.cell(static_cast<int>(index % 2), 1000 + index)));
  }
  const AuditOptions options = test_options();
  const auto plants = plant_copies(bench.groups(), audited(bench, options), options);
  EXPECT_TRUE(plants[0][2].by_gene);
  EXPECT_GT(plants[0][0].found.share, .9);
  EXPECT_NE(plant_sentence(plants[0][2]).find("no counts"), std::string::npos);
}

TEST(Plants, TheThinningOfTheVerdictIsAmongTheShares) {
  EXPECT_EQ(plant_shares(.5), (std::vector<double>{1, .7, .5, .3, .2}));
  EXPECT_EQ(plant_shares(.4), (std::vector<double>{1, .7, .5, .4, .3, .2}));
}

TEST(Split, DonorsAreDealtBySizeAndNeverTorn) {
  CellAnnotations annotations;
  annotations.donor_levels = {"a", "b", "c", "unused"};
  for (int cell = 0; cell < 60; ++cell) annotations.donor.push_back(cell < 10 ? 0 : cell < 40 ? 1 : 2);
  const Split split = split_benchmark(60, annotations, 42);
  EXPECT_STREQ(split.kind, "donors");
  EXPECT_EQ(split.part[0], 0);   // a: third
  EXPECT_EQ(split.part[20], 0);  // b: largest
  EXPECT_EQ(split.part[50], 1);  // c: second
  for (int cell = 10; cell < 40; ++cell) EXPECT_EQ(split.part[static_cast<std::size_t>(cell)], 0);
}

TEST(Split, OneDonorIsHalvedByKey) {
  CellAnnotations annotations;
  annotations.donor_levels = {"only", "unused"};
  annotations.donor.assign(101, 0);
  const Split split = split_benchmark(101, annotations, 42);
  EXPECT_STREQ(split.kind, "halves");
  std::uint64_t largest_first = 0, smallest_second = ~std::uint64_t{0};
  std::int64_t second = 0;
  for (std::uint64_t cell = 0; cell < 101; ++cell) {
    second += split.part[cell];
    if (split.part[cell])
      smallest_second = std::min(smallest_second, mix(42 ^ cell));
    else
      largest_first = std::max(largest_first, mix(42 ^ cell));
  }
  EXPECT_EQ(second, 51);
  EXPECT_LT(largest_first, smallest_second);
}

TEST(FalsePositives, StrangersKeepTheLevel) {
  const Population population(5, 4);
  const Bench bench = strangers(population, 4, 150);
  const FalsePositives result = measure_false_positives(bench.groups(), bench.annotations, test_options());
  EXPECT_EQ(result.n_tested, 600);
  EXPECT_LE(result.at_05.share, .05);
  EXPECT_LE(result.at_01.share, .02);
  EXPECT_EQ(result.n_same_cell, 0);
  EXPECT_EQ(result.n_exact, 0);
  EXPECT_TRUE(result.calibrated);
  EXPECT_TRUE(result.pairs.empty());
  ASSERT_EQ(result.types.size(), 4u);
  for (const auto& type : result.types) {
    EXPECT_EQ(type.n_cells, 150);
    EXPECT_EQ(type.rare_tested, 6);
  }
}

TEST(FalsePositives, InternalDuplicatesAreNotCalibratedAndListedAsPairs) {
  const Population population(6, 2);
  Bench bench(population);
  for (std::uint64_t index = 0; index < 200; ++index)
    bench.benchmark.add(population.cell(static_cast<int>(index % 2), index));
  for (std::uint64_t index = 0; index < 10; ++index)
    bench.benchmark.add(population.cell(static_cast<int>(index % 2), index));
  const FalsePositives result = measure_false_positives(bench.groups(), {}, test_options());
  EXPECT_FALSE(result.calibrated);
  EXPECT_GT(result.n_same_cell, 0);
  ASSERT_FALSE(result.pairs.empty());
  for (const auto& pair : result.pairs) {
    EXPECT_EQ(std::abs(pair.cell - pair.match), 200);
    EXPECT_EQ(pair.jaccard, 1);
    EXPECT_EQ(pair.flag, "exact");
  }
  EXPECT_NE(calibration_sentence(result).find("not calibrated"), std::string::npos);
}

TEST(FalsePositives, TooSmallABenchmarkSaysWhy) {
  const Population population(7, 1);
  Bench bench(population);
  for (std::uint64_t index = 0; index < 20; ++index) bench.benchmark.add(population.cell(0, index));
  const FalsePositives result = measure_false_positives(bench.groups(), {}, test_options());
  EXPECT_EQ(result.n_tested, 0);
  EXPECT_FALSE(result.reason.empty());
  EXPECT_TRUE(result.calibrated);
}

// Cuts the type for real, audits the parts again, and counts the flags among its six cells.
std::int64_t flagged_when_cut(const Bench& bench, const Split& split, std::int32_t type, const AuditOptions& options) {
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  for (std::size_t cell = 0; cell < split.part.size(); ++cell)
    if (bench.annotations.label[cell] == type) order.emplace_back(mix(options.seed ^ cell), cell);
  std::sort(order.begin(), order.end());
  std::set<std::size_t> kept;
  int taken[2] = {0, 0};
  for (const auto& [key, cell] : order)
    if (taken[split.part[cell]]++ < 3) kept.insert(cell);
  std::int64_t flagged = 0;
  for (const std::uint8_t side : {0, 1}) {
    CellSets own(bench.benchmark.n_tokens()), other(bench.benchmark.n_tokens());
    std::vector<std::size_t> rows;
    CellSet set;
    for (std::size_t cell = 0; cell < split.part.size(); ++cell) {
      if (bench.annotations.label[cell] == type && !kept.count(cell)) continue;
      bench.benchmark.read(static_cast<std::int64_t>(cell), set);
      (split.part[cell] == side ? own : other).add(set);
      if (split.part[cell] == side) rows.push_back(cell);
    }
    CellsAudit audit = audit_cells({{"all", &own, &other}}, options);
    decide_flags(audit.cells, audit.groups, {}, options);
    for (std::size_t at = 0; at < rows.size(); ++at)
      flagged += kept.count(rows[at]) && (audit.cells[at].suspect || audit.cells[at].same_cell);
  }
  return flagged;
}

TEST(RareTypes, AgreeWithAnAuditFromWhichTheTypeIsReallyCut) {
  // Few dominant genes: type 3's cells are far more alike than the others', which is what the residual risk is about.
  const Population mixed(8, 3), uniform(9, 1, 1500, 3.5);
  Bench bench(mixed);
  bench.annotations.label_levels = {"a", "b", "c", "uniform", "few"};
  for (std::uint64_t index = 0; index < 60; ++index) {
    for (int type = 0; type < 3; ++type) {
      bench.benchmark.add(mixed.cell(type, index));
      bench.label(type);
    }
    bench.benchmark.add(uniform.cell(0, index, 4000));
    bench.label(3);
    if (index >= 39) continue;
    bench.benchmark.add(mixed.cell(0, 5000 + index));
    bench.label(4);
  }
  const AuditOptions options = test_options();
  const FalsePositives result = measure_false_positives(bench.groups(), bench.annotations, options);
  const Split split = split_benchmark(bench.benchmark.n_cells(), bench.annotations, options.seed);
  for (std::int32_t type = 0; type < 4; ++type) {
    EXPECT_EQ(result.types[static_cast<std::size_t>(type)].rare_tested, 6);
    EXPECT_EQ(result.types[static_cast<std::size_t>(type)].rare_flagged, flagged_when_cut(bench, split, type, options));
  }
  EXPECT_GT(result.types[3].rare_flagged, 0);
  EXPECT_EQ(result.types[4].rare_tested, 0);  // 39 cells
  EXPECT_NE(calibration_sentence(result).find("uniform"), std::string::npos);
}

}  // namespace
}  // namespace scvet::audit
