// The nulls that draw: p values against a plain loop, sharing between equal sizes, and what the nulls keep.
#include "drawn_null.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "draws.h"
#include "scvet/base/parallel.h"
#include "scvet/base/registry.h"
#include "scvet/numeric/moments.h"
#include "unit/audit/simulated.h"

namespace scvet::audit {
namespace {

using sketch::CellSet;
using sketch::CellSets;
using testing::Population;

AuditOptions drawing_options(std::vector<std::string> names) {
  AuditOptions options = testing::test_options();
  options.nulls = std::move(names);
  options.min_genes = 40;
  options.uniform_draws = 200;
  options.frequency_draws = 100;
  return options;
}

CellSet uniform_cell(std::uint32_t n_tokens, std::uint32_t size, std::uint64_t number) {
  CellSet cell;
  UniformDraws(n_tokens, 0xFEED).draw(size, number, cell.tokens);
  return cell;
}

DatasetAudit audited(const CellSets& benchmark, const CellSets& reference, const AuditOptions& options) {
  return audit_dataset("drawn", {{"all", &benchmark, &reference}}, {}, options);
}

TEST(UniformNull, PIsThatOfAPlainLoopOverDrawsAndReferences) {
  const Population population(41, 2, 300);
  CellSets reference(300), benchmark(300);
  for (std::uint64_t row = 0; row < 40; ++row) reference.add(population.cell(0, row, 200));
  for (std::uint64_t row = 0; row < 6; ++row) benchmark.add(population.cell(1, row, 200));
  for (std::uint64_t row = 0; row < 6; ++row) benchmark.add(uniform_cell(300, 60, row + 1));
  const AuditOptions options = drawing_options({"uniform"});
  const DatasetAudit audit = audited(benchmark, reference, options);
  UniformDraws draws(300, options.seed);
  std::vector<std::uint16_t> tokens;
  for (std::int64_t cell = 0; cell < benchmark.n_cells(); ++cell) {
    const CellOutcome& outcome = audit.cells[static_cast<std::size_t>(cell)];
    ASSERT_GE(outcome.size, 40u);
    const auto nearest = [&](const CellSet& set) {
      CellSets one(300);
      one.add(set);
      const auto found = testing::naive_search(one, reference, {.top = 1}).nearest[0];
      return found.empty() ? 0.0 : found[0].jaccard();
    };
    CellSet own;
    benchmark.read(cell, own);
    const double observed = nearest(own);
    std::vector<double> null;
    int reached = 0;
    for (std::uint64_t b = 1; b <= 200; ++b) {
      CellSet drawn;
      draws.draw(outcome.size, b, drawn.tokens);
      null.push_back(nearest(drawn));
      reached += null.back() >= observed;
    }
    EXPECT_DOUBLE_EQ(outcome.p_uniform, (1.0 + reached) / 201);
    EXPECT_DOUBLE_EQ(outcome.uniform.mean, numeric::mean(null));
    EXPECT_DOUBLE_EQ(outcome.uniform.sd, numeric::standard_deviation(null));
    EXPECT_DOUBLE_EQ(outcome.uniform.max, *std::max_element(null.begin(), null.end()));
  }
}

TEST(UniformNull, PIsUniformForCellsThatAreUniformSetsAndTinyForEveryRealCell) {
  const Population population(42, 3, 400);
  CellSets reference(400), random(400), real(400);
  for (std::uint64_t row = 0; row < 120; ++row) reference.add(population.cell(0, row, 250));
  for (std::uint64_t row = 0; row < 400; ++row) random.add(uniform_cell(400, 60, row + 1));
  for (std::uint64_t row = 0; row < 40; ++row) real.add(population.cell(2, 5000 + row, 250));  // a type of its own
  const AuditOptions options = drawing_options({"uniform"});
  double sum = 0;
  int low = 0;
  const DatasetAudit audit = audited(random, reference, options);
  for (const CellOutcome& cell : audit.cells) {
    sum += cell.p_uniform;
    low += cell.p_uniform <= .1;
  }
  // Ties of J count against, so p is uniform or a little larger.
  EXPECT_NEAR(sum / 400, .5, 4.5 / std::sqrt(12.0 * 400) + .06);
  EXPECT_LE(low, 40 + 4.5 * std::sqrt(400 * .1 * .9));
  EXPECT_GE(low, 10);
  for (const CellOutcome& cell : audited(real, reference, options).cells) {
    EXPECT_LE(cell.p_uniform, 2. / 201);  // unseen cells of an unseen type: this null is no test of membership
    EXPECT_FALSE(cell.flagged());
  }
}

// Counts what is searched.
struct Counting : sketch::PreparedReference {
  explicit Counting(const sketch::SetSource& source) : reference(source) {}
  sketch::SearchResult search(const CellSets& queries, const sketch::SearchOptions& options) override {
    n_queries += queries.n_cells();
    std::int64_t tokens = 0;
    for (std::int64_t row = 0; row < queries.n_cells(); ++row)
      tokens += static_cast<std::int64_t>(queries.tokens(row).size());
    most_tokens = std::max(most_tokens, tokens);
    return testing::naive_search(queries, reference, options);
  }
  const sketch::SetSource& reference;
  std::int64_t n_queries = 0, most_tokens = 0;
};

struct DrawRun {
  CellSets benchmark{300}, reference{300};
  DrawRun() {
    const Population population(43, 1, 300);
    for (std::uint64_t row = 0; row < 30; ++row) reference.add(population.cell(0, row, 200));
    for (const std::uint32_t size : {50, 50, 50, 61, 61, 30})
      benchmark.add(uniform_cell(300, size, benchmark.n_cells() + 1u));
  }
  std::vector<SizeNull> search(std::int64_t batch_tokens, Counting& counting) const {
    const ReferenceGroup group{"all", &benchmark, &reference};
    const AuditOptions options = drawing_options({"uniform"});
    const sketch::SearchResult none;
    const NullContext context{group, options, none, nullptr, nullptr, &counting};
    std::vector<CellOutcome> cells(6);
    for (std::size_t cell = 0; cell < 6; ++cell)
      cells[cell].size = static_cast<std::uint32_t>(benchmark.tokens(static_cast<std::int64_t>(cell)).size());
    DrawPlan plan{.name = "test", .sizes = distinct_sizes(cells, options.min_genes), .per_size = 100, .draw = {}};
    EXPECT_EQ(plan.sizes, (std::vector<std::uint32_t>{50, 61}));
    plan.draw = [&](std::size_t at, std::uint64_t b, int, std::vector<std::uint16_t>& tokens) {
      UniformDraws(300, options.seed).draw(plan.sizes[at], b, tokens);
    };
    return search_draws(context, plan, batch_tokens);
  }
};

TEST(DrawnNull, EqualSizesShareDrawsWhichAreSearchedInBoundedBatchesWithTheSameResult) {
  const DrawRun run;
  Counting whole(run.reference), pieces(run.reference);
  const std::vector<SizeNull> one = run.search(1 << 20, whole), many = run.search(700, pieces);
  EXPECT_EQ(whole.n_queries, 200);  // two sizes, six cells
  EXPECT_EQ(pieces.n_queries, 200);
  EXPECT_EQ(whole.most_tokens, 100 * (50 + 61));
  EXPECT_LE(pieces.most_tokens, 700);
  ASSERT_EQ(one.size(), 2u);
  for (std::size_t size = 0; size < 2; ++size)
    for (std::size_t draw = 0; draw < 100; ++draw) {
      EXPECT_EQ(one[size].best[draw].row, many[size].best[draw].row);
      EXPECT_EQ(one[size].best[draw].intersection, many[size].best[draw].intersection);
    }
}

TEST(DrawnNull, ACellWithoutACandidateIsReachedByEveryDrawAndTiesCountAgainst) {
  SizeNull null;
  null.best.resize(4);
  null.best[0] = {3, 1, 2, 1};
  null.best[1] = {3, 2, 5, 1};
  EXPECT_DOUBLE_EQ(draw_p(null, {}), 1);
  EXPECT_DOUBLE_EQ(draw_p(null, {7, 2, 4, 1}), 2. / 5);  // 1/2 = 2/4
  EXPECT_DOUBLE_EQ(draw_p(null, {7, 3, 5, 1}), 1. / 5);
}

TEST(DrawnNulls, TheSameBytesForAnyNumberOfWorkersAndForEqualCells) {
  const Population population(44, 2, 500);
  CellSets reference(500), benchmark(500);
  for (std::uint64_t row = 0; row < 60; ++row) reference.add(population.cell(0, row, 300));
  for (std::uint64_t row = 0; row < 20; ++row) benchmark.add(population.cell(1, row, 300));
  benchmark.add(population.cell(1, 3, 300));
  const AuditOptions options = drawing_options({"uniform", "frequency", "same_cell"});
  set_workers(1);
  const DatasetAudit one = audited(benchmark, reference, options);
  set_workers(5);
  const DatasetAudit five = audited(benchmark, reference, options);
  set_workers(0);
  for (std::size_t cell = 0; cell < 21; ++cell) {
    EXPECT_EQ(one.cells[cell].p_uniform, five.cells[cell].p_uniform);
    EXPECT_EQ(one.cells[cell].excess_frequency, five.cells[cell].excess_frequency);
    EXPECT_EQ(one.cells[cell].frequency.sd, five.cells[cell].frequency.sd);
    EXPECT_FALSE(std::isnan(one.cells[cell].excess_frequency));
  }
  EXPECT_EQ(one.cells[3].p_uniform, one.cells[20].p_uniform);
}

TEST(DrawnNulls, TooFewGenesLeaveNothingAndOtherNullsKeepTheirFields) {
  const Population population(45, 1, 300);
  CellSets reference(300), benchmark(300);
  for (std::uint64_t row = 0; row < 60; ++row) reference.add(population.cell(0, row, 250));
  benchmark.add(uniform_cell(300, 39, 1));
  benchmark.add(uniform_cell(300, 40, 1));
  benchmark.add({});
  const DatasetAudit both = audited(benchmark, reference, drawing_options({"uniform", "frequency"}));
  EXPECT_TRUE(std::isnan(both.cells[0].p_uniform) && std::isnan(both.cells[0].excess_frequency));
  EXPECT_EQ(both.cells[0].status, CellStatus::kTooFewGenes);
  EXPECT_FALSE(std::isnan(both.cells[1].p_uniform) || std::isnan(both.cells[1].excess_frequency));
  EXPECT_EQ(both.cells[1].status, CellStatus::kOk);
  EXPECT_EQ(both.cells[2].status, CellStatus::kEmpty);
  EXPECT_TRUE(std::isnan(both.cells[1].p_same));
  const DatasetAudit uniform = audited(benchmark, reference, drawing_options({"uniform"}));
  EXPECT_EQ(uniform.cells[1].p_uniform, both.cells[1].p_uniform);
  EXPECT_TRUE(std::isnan(uniform.cells[1].excess_frequency));
  const DatasetAudit same = audited(benchmark, reference, drawing_options({"same_cell", "uniform"}));
  EXPECT_EQ(same.cells[0].status, CellStatus::kOk);  // 39 genes are enough for same_cell
}

TEST(FrequencyNull, SetsDrawnByTheReferenceFrequenciesHaveNoExcess) {
  const Population population(46, 1, 400);
  CellSets reference(400), benchmark(400);
  std::vector<double> frequency(400, 0);
  for (std::uint64_t row = 0; row < 150; ++row) {
    const CellSet cell = population.cell(0, row, 300);
    reference.add(cell);
    for (const std::uint16_t token : cell.tokens) frequency[token] += 1. / 150;
  }
  const ParetoDraws draws(frequency, 150, 0xABCD);
  ParetoDraws::Scratch scratch;
  for (std::uint64_t b = 1; b <= 60; ++b) {
    CellSet cell;
    draws.draw(120, b, scratch, cell.tokens);
    benchmark.add(cell);
  }
  for (std::uint64_t row = 0; row < 30; ++row) benchmark.add(population.cell(0, 9000 + row, 300));
  const DatasetAudit audit = audited(benchmark, reference, drawing_options({"frequency"}));
  double drawn = 0;
  for (std::size_t cell = 0; cell < 60; ++cell) drawn += audit.cells[cell].excess_frequency / 60;
  const double sd = audit.cells[0].frequency.sd;
  EXPECT_NEAR(drawn, 0, 4.5 * sd * std::sqrt(1. / 60 + 1. / 100));
  for (const CellOutcome& cell : audit.cells) EXPECT_FALSE(cell.flagged());
}

}  // namespace
}  // namespace scvet::audit
