#include "scvet/audit/audit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "scvet/audit/null.h"
#include "scvet/audit/texts.h"
#include "scvet/base/error.h"
#include "scvet/base/parallel.h"
#include "scvet/base/registry.h"
#include "unit/audit/simulated.h"

namespace scvet::audit {
namespace {

using sketch::CellSet;
using sketch::CellSets;
using testing::Population;
using testing::test_options;

// 240 strangers of four donors, 20 whole members and 20 at half depth of two of them; labels known.
struct Planted {
  Population population{21, 3};
  CellSets benchmark{1500}, reference{1500};
  CellAnnotations annotations;

  Planted() {
    annotations.label_levels = {"a", "b", "c", "scarce"};
    annotations.donor_levels = {"d1", "d2", "d3", "d4"};
    for (std::uint64_t index = 0; index < 300; ++index) reference.add(cell(1000 + index));
    for (std::uint64_t index = 0; index < 240; ++index) add(cell(index), index);
    for (std::uint64_t index = 0; index < 20; ++index) add(cell(1000 + index), index);
    for (std::uint64_t index = 20; index < 40; ++index) add(population.thinned(cell(1000 + index), .5, index), index);
    for (std::size_t member = 240; member < 280; ++member)
      annotations.donor[member] = static_cast<std::int32_t>(member % 2);
  }
  CellSet cell(std::uint64_t index) const { return population.cell(static_cast<int>(index % 3), index); }
  void add(const CellSet& set, std::uint64_t index) {
    benchmark.add(set);
    annotations.label.push_back(static_cast<std::int32_t>(index % 3));
    annotations.donor.push_back(static_cast<std::int32_t>(index % 4));
  }
  DatasetAudit audit(const AuditOptions& options = test_options()) const {
    return audit_dataset("planted", {{"all", &benchmark, &reference}}, annotations, options);
  }
};

const Planted& planted_cells() {
  static const Planted planted;
  return planted;
}

const DatasetAudit& planted_audit() {
  static const DatasetAudit audit = planted_cells().audit();
  return audit;
}

TEST(AuditDataset, FindsPlantedMembersWithTheirRowsAndNothingElse) {
  const DatasetAudit& audit = planted_audit();
  for (std::size_t cell = 0; cell < 240; ++cell) {
    EXPECT_FALSE(audit.cells[cell].flagged());
    EXPECT_NE(audit.cells[cell].exposure, Exposure::kExposed);
  }
  for (std::size_t cell = 240; cell < 280; ++cell) {
    const CellOutcome& outcome = audit.cells[cell];
    EXPECT_EQ(outcome.exact, cell < 260);
    EXPECT_TRUE(outcome.same_cell && outcome.suspect);
    EXPECT_EQ(outcome.best.row, static_cast<std::int64_t>(cell) - 240);
    EXPECT_EQ(outcome.identical_row(), cell < 260 ? outcome.best.row : -1);
    EXPECT_EQ(outcome.exposure, Exposure::kExposed);
  }
  EXPECT_EQ(audit.verdict.kind, VerdictKind::kExposed);
  EXPECT_NE(audit.verdict.sentence.find("20 of 280"), std::string::npos);
  EXPECT_EQ(audit.exposed.hits, 40);
  EXPECT_NEAR(audit.membership.estimate, 40. / 280 / audit.membership.power, 1e-12);
  EXPECT_GT(audit.membership.low, 0);
  EXPECT_LT(audit.membership.donor_low, audit.exposed.share);
  EXPECT_GT(audit.membership.donor_high, audit.exposed.share);
  EXPECT_GT(audit.n_clean, 180);
}

TEST(AuditDataset, StrangersAloneAreClearedBelowABoundNeverClean) {
  const Population population(22, 3);
  CellSets benchmark(1500), reference(1500);
  for (std::uint64_t index = 0; index < 250; ++index) {
    benchmark.add(population.cell(static_cast<int>(index % 3), index));
    reference.add(population.cell(static_cast<int>(index % 3), 1000 + index));
  }
  const std::vector<ReferenceGroup> groups{{"all", &benchmark, &reference}};
  AuditOptions options = test_options();
  const DatasetAudit audit = audit_dataset("strangers", groups, {}, options);
  ASSERT_EQ(audit.verdict.kind, VerdictKind::kClearedBelow) << audit.verdict.sentence;
  EXPECT_NEAR(audit.verdict.cleared_below, (1 - std::pow(.05, 1. / 250)) / audit.membership.power, 1e-12);
  EXPECT_NE(audit.verdict.sentence.find("50 %"), std::string::npos);
  EXPECT_TRUE(std::isnan(audit.membership.donor_low));

  options.clear_below = .001;
  const DatasetAudit strict = audit_dataset("strangers", groups, {}, options);
  EXPECT_EQ(strict.verdict.kind, VerdictKind::kUndecided);
  EXPECT_TRUE(strict.verdict.reasons[0].starts_with("bound:"));
  options = test_options();
  options.sampled_share = .1;
  const DatasetAudit sampled = audit_dataset("strangers", groups, {}, options);
  EXPECT_EQ(sampled.verdict.kind, VerdictKind::kUndecided);
  EXPECT_NEAR(sampled.membership.high, audit.membership.high * 10, 1e-12);
  options = test_options();
  options.controls = false;
  const DatasetAudit blind = audit_dataset("strangers", groups, {}, options);
  EXPECT_EQ(blind.verdict.kind, VerdictKind::kUndecided);
  EXPECT_TRUE(blind.verdict.reasons[0].starts_with("power:"));
}

void expect_same(const DatasetAudit& a, const DatasetAudit& b) {
  ASSERT_EQ(a.cells.size(), b.cells.size());
  const auto same = [](double left, double right) { return std::memcmp(&left, &right, sizeof left) == 0; };
  for (std::size_t cell = 0; cell < a.cells.size(); ++cell) {
    const CellOutcome &left = a.cells[cell], &right = b.cells[cell];
    EXPECT_TRUE(same(left.p_same, right.p_same) && same(left.q_same, right.q_same) && same(left.lift, right.lift) &&
                same(left.z_background, right.z_background) && same(left.rho, right.rho));
    EXPECT_TRUE(left.status == right.status && left.exposure == right.exposure && left.best.row == right.best.row &&
                left.d == right.d && left.pool.size() == right.pool.size());
  }
  ASSERT_EQ(a.plants.size(), b.plants.size());
  for (std::size_t at = 0; at < a.plants.size(); ++at) EXPECT_EQ(a.plants[at].found.hits, b.plants[at].found.hits);
  EXPECT_EQ(a.verdict.sentence, b.verdict.sentence);
  EXPECT_EQ(calibration_sentence(a.false_positives), calibration_sentence(b.false_positives));
  EXPECT_TRUE(same(a.membership.donor_low, b.membership.donor_low) && same(a.membership.low, b.membership.low));
}

TEST(AuditDataset, IsTheSameForAnyNumberOfWorkers) {
  for (const int count : {1, 2, 8}) {
    set_workers(count);
    expect_same(planted_audit(), planted_cells().audit());
  }
  set_workers(0);
}

TEST(AuditDataset, TheExactEngineGivesWhatThePlainOneGives) {
  const sketch::EngineRecord& exact = find_variant(sketch::engines(), "exact", "engine");
  AuditOptions options = test_options();
  options.engine = &exact;
  expect_same(planted_audit(), planted_cells().audit(options));

  CellSets few(1500), none(1500);
  for (std::uint64_t index = 0; index < 40; ++index) few.add(planted_cells().cell(index / 2));  // every set twice
  few.add({{}, {}});
  few.add({{3}, {1}});
  for (const auto& [benchmark, reference] : {std::pair{&few, &none}, std::pair{&none, &few}, std::pair{&few, &few}}) {
    const std::vector<ReferenceGroup> groups{{"all", benchmark, reference}};
    expect_same(audit_dataset("edge", groups, {}, test_options()), audit_dataset("edge", groups, {}, options));
  }
}

TEST(AuditDataset, TinyAndEmptyBenchmarksGiveAnUndecidedVerdictWithAReason) {
  const Population population(23, 1);
  CellSets reference(1500);
  for (std::uint64_t index = 0; index < 100; ++index) reference.add(population.cell(0, 1000 + index));
  for (const std::uint64_t n : {0, 1, 5, 31}) {
    SCOPED_TRACE(n);
    CellSets benchmark(1500);
    for (std::uint64_t index = 0; index < n; ++index) benchmark.add(population.cell(0, index));
    const DatasetAudit audit = audit_dataset("tiny", {{"all", &benchmark, &reference}}, {}, test_options());
    EXPECT_EQ(audit.verdict.kind, VerdictKind::kUndecided);
    EXPECT_FALSE(audit.verdict.reasons.empty());
    EXPECT_EQ(audit.plants.empty() ? 0 : audit.plants[0].found.n, static_cast<std::int64_t>(n) / 5);
    for (const CellOutcome& cell : audit.cells) EXPECT_FALSE(std::isnan(cell.p_same));
    if (n > 0 && n < 30) {
      EXPECT_TRUE(std::isnan(audit.cells[0].lift));
    }
  }
  CellSets nothing(1500), some(1500);
  some.add(population.cell(0, 1));
  some.add({{}, {}});
  const DatasetAudit audit = audit_dataset("no reference", {{"all", &some, &nothing}}, {}, test_options());
  EXPECT_EQ(audit.cells[0].best.row, -1);
  EXPECT_TRUE(std::isnan(audit.cells[0].p_same));
  EXPECT_EQ(audit.cells[1].status, CellStatus::kEmpty);
  EXPECT_EQ(audit.verdict.kind, VerdictKind::kUndecided);
}

TEST(AuditDataset, ExactMatchesOfAFewGenesAreReportedButDoNotCount) {
  const Population population(24, 1);
  CellSets benchmark(1500), reference(1500);
  for (std::uint64_t index = 0; index < 60; ++index) {
    benchmark.add(population.cell(0, index));
    reference.add(population.cell(0, 1000 + index));
  }
  const CellSet scrap{{7, 3, 9}, {3, 2, 1}};
  benchmark.add(scrap);
  reference.add(scrap);
  const DatasetAudit audit = audit_dataset("scrap", {{"all", &benchmark, &reference}}, {}, test_options());
  const CellOutcome& cell = audit.cells[60];
  EXPECT_TRUE(cell.exact);
  EXPECT_EQ(cell.status, CellStatus::kTooFewGenes);
  EXPECT_EQ(cell.identical_counts, 60);
  EXPECT_EQ(cell.exposure, Exposure::kUnknown);
  EXPECT_EQ(audit.exposed.hits, 0);
  EXPECT_EQ(audit.exposed.n, 60);
  EXPECT_NE(audit.verdict.kind, VerdictKind::kExposed);
  EXPECT_EQ(audit.identities[1].n_matched, 1);
}

TEST(AuditDataset, AnEqualSetProvesOnlyWhileTheBenchmarkHidesNoDifference) {
  const Population population(25, 1);
  CellSets benchmark(1500), reference(1500);
  for (std::uint64_t index = 0; index < 40; ++index) {
    benchmark.add(population.cell(0, index));
    reference.add(population.cell(0, 1000 + index));
  }
  CellSet shared = population.cell(0, 2000), doubled = shared;
  std::swap(doubled.tokens[0], doubled.tokens[1]);
  reference.add(shared);
  benchmark.add(doubled);
  const std::vector<ReferenceGroup> groups{{"all", &benchmark, &reference}};
  AuditOptions options = test_options();
  options.controls = false;
  const DatasetAudit proves = audit_dataset("proves", groups, {}, options);
  EXPECT_TRUE(proves.identities[0].proves);
  EXPECT_TRUE(proves.cells[40].exact);
  EXPECT_EQ(proves.cells[40].identical_order, -1);

  CellSet other = population.cell(0, 3000);
  benchmark.add(other);
  other.counts[0] += 1;
  benchmark.add(other);
  const DatasetAudit hides = audit_dataset("hides", groups, {}, options);
  EXPECT_FALSE(hides.identities[0].proves);
  EXPECT_FALSE(hides.cells[40].exact);
  EXPECT_EQ(hides.cells[40].identical_set, 40);
  EXPECT_TRUE(hides.cells[40].same_cell);
}

TEST(AuditDataset, SeveralGroupsAreCombinedByBonferroniAndAnyExactMatchCounts) {
  const Population population(26, 2);
  CellSets benchmark(1500), first(1500), second(1500), narrow(1500), narrow_reference(1500);
  const auto cut = [](const CellSet& cell) {
    CellSet part;
    for (std::size_t at = 0; at < cell.tokens.size(); ++at)
      if (cell.tokens[at] < 700) {
        part.tokens.push_back(cell.tokens[at]);
        part.counts.push_back(cell.counts[at]);
      }
    return part;
  };
  for (std::uint64_t index = 0; index < 100; ++index) {
    const int type = static_cast<int>(index % 2);
    benchmark.add(population.cell(type, index));
    narrow.add(cut(population.cell(type, index)));
    first.add(population.cell(type, 1000 + index));
    narrow_reference.add(cut(population.cell(type, index < 3 ? index : 2000 + index)));
  }
  AuditOptions options = test_options();
  options.controls = false;
  const ReferenceGroup wide_group{"wide", &benchmark, &first}, narrow_group{"narrow", &narrow, &narrow_reference};
  const DatasetAudit both = audit_dataset("both", {wide_group, narrow_group}, {}, options);
  const DatasetAudit wide = audit_dataset("wide", {wide_group}, {}, options);
  const DatasetAudit only = audit_dataset("narrow", {narrow_group}, {}, options);
  for (std::size_t cell = 0; cell < 100; ++cell) {
    const double expected = std::min(1.0, 2 * std::min(wide.cells[cell].p_same, only.cells[cell].p_same));
    EXPECT_EQ(both.cells[cell].p_same, expected);
    const DatasetAudit& kept = both.cells[cell].group == 1 ? only : wide;
    EXPECT_EQ(both.cells[cell].lift, kept.cells[cell].lift);
    EXPECT_EQ(both.cells[cell].best.row, kept.cells[cell].best.row);
    EXPECT_EQ(both.cells[cell].exact, cell < 3);
    EXPECT_EQ(both.cells[cell].identical_group, cell < 3 ? 1 : -1);
  }
  EXPECT_EQ(both.fits.size(), 2u);
  EXPECT_EQ(both.verdict.kind, VerdictKind::kExposed);

  const DatasetAudit controlled = audit_dataset("both", {wide_group, narrow_group}, {}, test_options());
  ASSERT_EQ(controlled.group_plants.size(), 2u);
  EXPECT_EQ(controlled.plants[2].found.hits,
            std::min(controlled.group_plants[0][2].found.hits, controlled.group_plants[1][2].found.hits));
  EXPECT_GT(controlled.false_positives.n_tested, 0);
}

TEST(AuditDataset, WithoutCountsThereIsNoSameCellButIdentityStillProves) {
  AuditOptions options = test_options();
  options.no_counts = true;
  const DatasetAudit audit = planted_cells().audit(options);
  for (const CellOutcome& cell : audit.cells) {
    EXPECT_EQ(cell.status, CellStatus::kNoCounts);
    EXPECT_TRUE(std::isnan(cell.p_same));
    EXPECT_NE(cell.exposure, Exposure::kClean);
  }
  EXPECT_EQ(audit.flagged_exact.hits, 20);
  EXPECT_TRUE(audit.plants.empty());
  EXPECT_FALSE(audit.notes.empty());
  EXPECT_EQ(audit.verdict.kind, VerdictKind::kExposed);
}

TEST(AuditDataset, AnotherEngineLeavesPUndefinedAndSaysWhy) {
  sketch::EngineRecord rough = testing::naive_engine;
  rough.name = "rough";
  rough.exact_jaccard = false;
  AuditOptions options = test_options();
  options.engine = &rough;
  const DatasetAudit audit = planted_cells().audit(options);
  EXPECT_TRUE(std::isnan(audit.cells[0].p_same));
  EXPECT_EQ(audit.cells[0].status, CellStatus::kOk);
  EXPECT_NE(audit.notes[0].find("rough"), std::string::npos);
  EXPECT_EQ(audit.n_clean, 0);
}

TEST(AuditDataset, SummariesAddUpAndMissingLevelsComeLast) {
  Planted planted = planted_cells();
  planted.annotations.donor[0] = -1;
  AuditOptions options = test_options();
  options.controls = false;
  const DatasetAudit audit = planted.audit(options);
  ASSERT_EQ(audit.by_donor.size(), 5u);
  EXPECT_EQ(audit.by_donor.back().level, "");
  EXPECT_EQ(audit.by_donor.back().n_cells, 1);
  ASSERT_EQ(audit.by_label.size(), 4u);
  EXPECT_EQ(audit.by_label[3].n_cells, 0);
  EXPECT_TRUE(std::isnan(audit.by_label[3].exposed.share));
  std::int64_t cells = 0, exposed = 0, exact = 0;
  for (const GroupSummary& level : audit.by_donor) {
    cells += level.n_cells;
    exposed += level.exposed.hits;
    exact += level.n_exact;
  }
  EXPECT_EQ(cells, 280);
  EXPECT_EQ(exposed, audit.exposed.hits);
  EXPECT_EQ(exact, 20);
  EXPECT_TRUE(audit.by_batch.empty());
}

TEST(AuditDataset, FlagsOfScarceLabelsCarryTheNote) {
  Planted planted = planted_cells();
  for (std::size_t cell = 255; cell < 265; ++cell) planted.annotations.label[cell] = 3;
  AuditOptions options = test_options();
  options.controls = false;
  const DatasetAudit audit = planted.audit(options);
  for (std::size_t cell = 0; cell < audit.cells.size(); ++cell)
    EXPECT_EQ(audit.cells[cell].rare_label, cell >= 255 && cell < 265);
}

TEST(AuditDataset, ContradictingOptionsAreRefused) {
  const Planted& planted = planted_cells();
  AuditOptions options = test_options();
  options.max_copies = 9;
  EXPECT_THROW(planted.audit(options), UsageError);
  options = test_options();
  options.top = 30;
  EXPECT_THROW(planted.audit(options), UsageError);
  options = test_options();
  options.nulls = {"same_sell"};
  EXPECT_THROW(planted.audit(options), UsageError);
  options = test_options();
  options.sampled_share = 0;
  EXPECT_THROW(planted.audit(options), UsageError);
}

TEST(Nulls, EveryRecordSaysWhatItProvesAndWhatItCannot) {
  ASSERT_GE(nulls().size(), 4u);
  for (const NullRecord* null : nulls()) {
    for (const char* text : {null->h0, null->proves, null->cannot, null->source})
      EXPECT_GT(std::strlen(text), 20u) << null->name;
    EXPECT_TRUE(std::string(null->kind) == "null" || std::string(null->kind) == "identity");
  }
}

TEST(Texts, PlantsNameTheShareAndTheInterval) {
  PlantPower plant;
  plant.kept = .5;
  plant.found = make_share(97, 100);
  EXPECT_EQ(plant_sentence(plant), "a copy thinned to 50 % would be found with probability .97 [.915, .994]");
  plant.kept = 1;
  plant.by_gene = true;
  EXPECT_EQ(plant_sentence(plant), "a whole copy would be found with probability .97 [.915, .994]");
  plant.found = make_share(0, 0);
  EXPECT_NE(plant_sentence(plant).find("not known"), std::string::npos);
}

TEST(Texts, ProbabilitiesArePrintedWithoutALeadingZero) {
  EXPECT_EQ(probability_text(.973), ".973");
  EXPECT_EQ(probability_text(1), "1");
  EXPECT_EQ(probability_text(0), "0");
  EXPECT_EQ(probability_text(.00001234), ".000012");
  EXPECT_EQ(probability_text(kNaN), "not known");
}

TEST(Options, NeighboursFollowTheCopies) {
  AuditOptions options;
  EXPECT_EQ(neighbours_used(options), 30);
  options.max_copies = 3;
  EXPECT_EQ(neighbours_used(options), 20);
  options.neighbours = 25;
  EXPECT_EQ(neighbours_used(options), 25);
}

}  // namespace
}  // namespace scvet::audit
