// What every null and identity test promises, whatever it computes: run over the whole registry.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "scvet/audit/null.h"
#include "scvet/base/parallel.h"
#include "unit/audit/simulated.h"

namespace scvet::audit {
namespace {

using sketch::CellSets;
using testing::Population;

// The numbers of a cell that nulls fill, by the null that owns them.
struct Owned {
  const char* null;
  double value;
};
std::vector<Owned> owned_numbers(const CellOutcome& cell) {
  return {{"same_cell", cell.p_same},         {"same_cell", cell.lift},
          {"same_cell", cell.z_background},   {"uniform", cell.p_uniform},
          {"uniform", cell.uniform.mean},     {"uniform", cell.uniform.sd},
          {"uniform", cell.uniform.max},      {"frequency", cell.excess_frequency},
          {"frequency", cell.frequency.mean}, {"frequency", cell.frequency.sd},
          {"frequency", cell.frequency.max}};
}

bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

struct Cells {
  CellSets benchmark{600}, reference{600};
  std::vector<std::int64_t> order;  // of the second benchmark, moved
  CellSets moved{600};
  Cells() {
    const Population population(51, 2, 600);
    for (std::uint64_t row = 0; row < 90; ++row)
      reference.add(population.cell(static_cast<int>(row % 2), 1000 + row, 400));
    for (std::uint64_t row = 0; row < 40; ++row) benchmark.add(population.cell(static_cast<int>(row % 2), row, 400));
    benchmark.add(population.cell(0, 1000, 400));
    benchmark.add({{3, 5, 9}, {2, 1, 1}});
    benchmark.add({});
    sketch::CellSet cell;
    for (std::int64_t row = 0; row < benchmark.n_cells(); ++row) {
      order.push_back((row * 7 + 3) % benchmark.n_cells());
      benchmark.read(order.back(), cell);
      moved.add(cell);
    }
  }
  DatasetAudit audit(const CellSets& cells, const std::vector<std::string>& nulls) const {
    AuditOptions options = testing::test_options();
    options.nulls = nulls;
    options.min_genes = 60;
    options.uniform_draws = 60;
    options.frequency_draws = 30;
    options.controls = false;
    return audit_dataset("contract", {{"all", &cells, &reference}}, {}, options);
  }
};
const Cells& cells() {
  static const Cells made;
  return made;
}

std::vector<std::string> names_of(const char* kind) {
  std::vector<std::string> names;
  for (const NullRecord* null : nulls())
    if (std::string_view(null->kind) == kind) names.emplace_back(null->name);
  return names;
}

TEST(NullContract, EveryRecordSaysInSentencesWhatItAsksAndWhatItCannotShow) {
  for (const NullRecord* null : nulls()) {
    EXPECT_TRUE(std::string_view(null->kind) == "null" || std::string_view(null->kind) == "identity") << null->name;
    for (const std::string text : {null->h0, null->proves, null->cannot}) {
      EXPECT_GT(text.size(), 30u) << null->name;
      EXPECT_EQ(text.back(), '.') << null->name;
    }
    EXPECT_FALSE(std::string(null->source).empty()) << null->name;
  }
  EXPECT_EQ(names_of("null"), (std::vector<std::string>{"frequency", "same_cell", "uniform"}));
}

TEST(NullContract, ANullFillsItsOwnFieldsAndNoOthers) {
  const DatasetAudit all = cells().audit(cells().benchmark, names_of("null"));
  for (const std::string& name : names_of("null")) {
    const DatasetAudit alone = cells().audit(cells().benchmark, {name});
    bool any = false;
    for (std::size_t cell = 0; cell < alone.cells.size(); ++cell) {
      const auto here = owned_numbers(alone.cells[cell]), there = owned_numbers(all.cells[cell]);
      for (std::size_t at = 0; at < here.size(); ++at) {
        if (here[at].null != name) {
          EXPECT_TRUE(std::isnan(here[at].value)) << name << " filled a number of " << here[at].null;
        } else {
          EXPECT_TRUE(same_bits(here[at].value, there[at].value)) << name << ", cell " << cell;
          any = any || !std::isnan(here[at].value);
        }
      }
    }
    EXPECT_TRUE(any) << name;
  }
}

TEST(NullContract, CellsBelowAMinimumAreUndefinedAndIdentityStillRunsOnThem) {
  const DatasetAudit audit = cells().audit(cells().benchmark, names_of("null"));
  for (const std::size_t cell : {audit.cells.size() - 2, audit.cells.size() - 1})
    for (const Owned& number : owned_numbers(audit.cells[cell])) EXPECT_TRUE(std::isnan(number.value)) << number.null;
  EXPECT_TRUE(audit.cells[40].exact);
}

TEST(NullContract, AnswersDependOnNeitherTheOrderOfTheCellsNorTheNumberOfWorkers) {
  set_workers(1);
  const DatasetAudit one = cells().audit(cells().benchmark, names_of("null"));
  set_workers(4);
  const DatasetAudit moved = cells().audit(cells().moved, names_of("null"));
  set_workers(0);
  for (std::size_t cell = 0; cell < moved.cells.size(); ++cell) {
    const auto here = owned_numbers(moved.cells[cell]);
    const auto there = owned_numbers(one.cells[static_cast<std::size_t>(cells().order[cell])]);
    for (std::size_t at = 0; at < here.size(); ++at) {
      if (std::isnan(there[at].value)) {
        EXPECT_TRUE(std::isnan(here[at].value)) << here[at].null;
      } else {
        // The lift's regression adds its cells in their order.
        EXPECT_NEAR(here[at].value, there[at].value, 1e-9 * std::max(1.0, std::abs(there[at].value))) << here[at].null;
      }
    }
  }
}

TEST(NullContract, NullsThatDrawNeverFlagNorDecideTheVerdict) {
  const DatasetAudit plain = cells().audit(cells().benchmark, {"same_cell"});
  const DatasetAudit more = cells().audit(cells().benchmark, names_of("null"));
  EXPECT_EQ(plain.verdict.kind, more.verdict.kind);
  for (std::size_t cell = 0; cell < plain.cells.size(); ++cell) {
    EXPECT_EQ(plain.cells[cell].flagged(), more.cells[cell].flagged());
    EXPECT_EQ(plain.cells[cell].exposure, more.cells[cell].exposure);
    EXPECT_EQ(plain.cells[cell].status, more.cells[cell].status);
  }
}

}  // namespace
}  // namespace scvet::audit
