// Labels, features and digests of small screens against a direct computation.
#include "scvet/trial/screen.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "memory_screen.h"
#include "scvet/base/error.h"
#include "scvet/base/parallel.h"
#include "scvet/numeric/anderson_darling.h"
#include "scvet/numeric/exact_log.h"

namespace scvet::trial {
namespace {

using testing::MemorySource;
using testing::small_screen;
using testing::SmallScreen;

struct Direct {
  double sum = 0;
  std::int64_t n_finite = 0;
};

// Sum of finite statistics over genes of some cells against others, cell by cell and value by value.
Direct direct_label(const SmallScreen& screen, const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
  Direct label;
  const numeric::AndersonDarling2 test(static_cast<std::int64_t>(a.size()), static_cast<std::int64_t>(b.size()));
  for (std::size_t gene = 0; gene < screen.genes.size(); ++gene) {
    std::map<std::uint32_t, std::array<std::int64_t, 2>> histogram;
    for (const std::int64_t cell : a)
      ++histogram[static_cast<std::uint32_t>(screen.counts[static_cast<std::size_t>(cell)][gene])][0];
    for (const std::int64_t cell : b)
      ++histogram[static_cast<std::uint32_t>(screen.counts[static_cast<std::size_t>(cell)][gene])][1];
    std::vector<std::uint32_t> values;
    std::vector<std::int64_t> f1, f2;
    for (const auto& [value, both] : histogram) {
      values.push_back(value);
      f1.push_back(both[0]);
      f2.push_back(both[1]);
    }
    const double value = test.statistic(values, f1, f2);
    if (std::isnan(value)) continue;
    label.sum += value;
    ++label.n_finite;
  }
  return label;
}

double direct_d15(const SmallScreen& screen, const Design& design, const DesignRow& row) {
  double sum = 0, weight = 0;
  for (std::size_t batch = 0; batch < design.batches.size(); ++batch) {
    std::vector<std::int64_t> a, b;
    for (const std::int64_t cell : row.cells)
      if (design.batch_of_cell[static_cast<std::size_t>(cell)] == static_cast<int>(batch)) a.push_back(cell);
    for (const std::int64_t cell : design.nt_cells)
      if (design.batch_of_cell[static_cast<std::size_t>(cell)] == static_cast<int>(batch)) b.push_back(cell);
    if (a.size() < 2 || b.size() < 2) continue;
    const Direct label = direct_label(screen, a, b);
    sum += static_cast<double>(a.size()) * (label.sum / static_cast<double>(label.n_finite));
    weight += static_cast<double>(a.size());
  }
  return numeric::exact_log1p(std::max(0.0, sum / weight));
}

std::vector<double> direct_mean(const SmallScreen& screen, const std::vector<std::int64_t>& cells) {
  std::vector<double> mean(screen.genes.size(), 0.0);
  for (const std::int64_t cell : cells) {
    const std::vector<double>& counts = screen.counts[static_cast<std::size_t>(cell)];
    double total = 0;
    for (const double count : counts) total += count;
    if (total == 0) continue;
    for (std::size_t gene = 0; gene < mean.size(); ++gene)
      mean[gene] += counts[gene] == 0 ? 0.0 : numeric::exact_log1p(counts[gene] * 10000.0 / total);
  }
  for (double& value : mean) value /= static_cast<double>(cells.size());
  return mean;
}

TEST(Screen, LabelsAndFeaturesAreThoseOfADirectComputation) {
  const SmallScreen screen = small_screen();
  const Design design = screen.design();
  MemorySource source = screen.source();
  const Screen scan = scan_screen(source, design, {}, "small.h5ad");
  ASSERT_EQ(scan.rows.size(), 20u);
  EXPECT_EQ(scan.eligible.size(), 14u);  // rows of 4 to 9 cells are not
  const std::vector<double> controls = direct_mean(screen, design.nt_cells);
  for (std::size_t at = 0; at < scan.eligible.size(); ++at) {
    const auto row = static_cast<std::size_t>(scan.eligible[at]);
    const Direct label = direct_label(screen, design.rows[row].cells, design.nt_cells);
    EXPECT_EQ(scan.rows[row].n_finite, label.n_finite);
    EXPECT_EQ(scan.rows[row].y, numeric::exact_log1p(std::max(0.0, label.sum / static_cast<double>(label.n_finite))));
    EXPECT_EQ(scan.rows[row].d15, direct_d15(screen, design, design.rows[row]));
    const std::vector<double> mean = direct_mean(screen, design.rows[row].cells);
    for (std::size_t gene = 0; gene < mean.size(); ++gene)
      EXPECT_EQ(scan.x_delta[at * mean.size() + gene], mean[gene] - controls[gene]) << row << " " << gene;
  }
  for (const ScreenRow& row : scan.rows) EXPECT_EQ(row.eligible, row.reason.empty());
}

TEST(Screen, ManyPassesAndAnyThreadsGiveTheBitsOfOnePass) {
  const SmallScreen screen = small_screen();
  const Design design = screen.design();
  MemorySource once = screen.source();
  const Screen expected = scan_screen(once, design, {}, "small.h5ad");
  for (const int threads : {1, 2, 3}) {
    set_workers(threads);
    MemorySource source(screen.counts, screen.genes, 50);
    const Screen scan = scan_screen(source, design, {.memory_bytes = 1}, "small.h5ad");
    EXPECT_GT(source.reads(), 50);  // a pass for each row
    EXPECT_EQ(scan.x_delta, expected.x_delta);
    EXPECT_EQ(scan.counts_digest, expected.counts_digest);
    EXPECT_EQ(scan.record_hash, expected.record_hash);
    for (const std::int64_t row : expected.eligible) {
      EXPECT_EQ(scan.rows[static_cast<std::size_t>(row)].y, expected.rows[static_cast<std::size_t>(row)].y);
      EXPECT_EQ(scan.rows[static_cast<std::size_t>(row)].d15, expected.rows[static_cast<std::size_t>(row)].d15);
    }
  }
  set_workers(0);
}

TEST(Screen, CountsDigestIsThatOfTheCountsWhateverTheOrderOfCellsAndGenes) {
  const SmallScreen screen = small_screen();
  MemorySource source = screen.source();
  const Screen expected = scan_screen(source, screen.design(), {.labels = false}, "small.h5ad");
  const SmallScreen mixed = screen.shuffled(3);
  MemorySource again = mixed.source();
  const Screen scan = scan_screen(again, mixed.design(), {.labels = false}, "small.h5ad");
  EXPECT_EQ(scan.counts_digest, expected.counts_digest);
  EXPECT_EQ(scan.cell_sketch, expected.cell_sketch);
  EXPECT_EQ(scan.gene_list_sha256, expected.gene_list_sha256);
  SmallScreen changed = screen;
  changed.counts[20][8] += 1;
  MemorySource other = changed.source();
  EXPECT_NE(scan_screen(other, changed.design(), {.labels = false}, "small.h5ad").counts_digest,
            expected.counts_digest);
}

TEST(Screen, WithoutLabelsNoLabelIsMadeButTheSameRowsAreEligible) {
  const SmallScreen screen = small_screen();
  MemorySource source = screen.source(), again = screen.source();
  const Screen with = scan_screen(source, screen.design(), {}, "small.h5ad");
  const Screen without = scan_screen(again, screen.design(), {.labels = false}, "small.h5ad");
  EXPECT_EQ(without.eligible, with.eligible);
  EXPECT_EQ(without.x_delta, with.x_delta);
  for (std::size_t row = 0; row < with.rows.size(); ++row) {
    EXPECT_EQ(without.rows[row].n_finite, with.rows[row].n_finite);
    EXPECT_TRUE(std::isnan(without.rows[row].y));
    EXPECT_TRUE(std::isnan(without.rows[row].d15));
  }
}

TEST(Screen, RowsWithoutAStatisticLeaveNoGap) {
  SmallScreen screen = small_screen();
  for (auto& cell : screen.counts) std::fill(cell.begin(), cell.end(), 1.0);  // one value everywhere
  MemorySource source = screen.source();
  const Screen scan = scan_screen(source, screen.design(), {}, "small.h5ad");
  EXPECT_TRUE(scan.eligible.empty());
  EXPECT_TRUE(scan.x_delta.empty());
  EXPECT_EQ(scan.rows.back().n_finite, 0);
  EXPECT_THAT(std::vector<std::string>({scan.rows[0].reason, scan.rows[1].reason}),
              ::testing::Each(::testing::AnyOf("min_cells", "no_finite_statistic")));
}

TEST(Screen, ValuesThatAreNoCountsAndDoubledGenesAreRefused) {
  const auto reason_of = [](const SmallScreen& screen) -> std::string {
    MemorySource source = screen.source();
    try {
      scan_screen(source, screen.design(), {}, "small.h5ad");
    } catch (const DataError& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr("small.h5ad"));
      return error.facts().reason;
    }
    return "";
  };
  for (const double value : {-1.0, 0.5, std::nan(""), 1e300, 4294967296.0}) {
    SmallScreen screen = small_screen();
    screen.counts[90][2] = value;
    EXPECT_EQ(reason_of(screen), "not_counts") << value;
  }
  SmallScreen twice = small_screen();
  twice.genes[3] = twice.genes[9];
  EXPECT_EQ(reason_of(twice), "duplicate_names");
  SmallScreen tab = small_screen();
  tab.genes[3] = "a\tb";
  EXPECT_EQ(reason_of(tab), "bad_name");
}

TEST(Features, OfAnyRowAreItsMeanLengthMaximumAndSpreadAndZeroStaysZero) {
  const std::vector<double> x{3, -4, 0, 0, 0, 0, 0, 0, -2, -2, -2, -2};
  const Features features = make_features(x, 3, 4);
  EXPECT_THAT(features.mag, ::testing::ElementsAre(-0.25, 2.5, 3, std::sqrt(24.75 / 4), 0, 0, 0, 0, -2, 2, -2, 0));
  EXPECT_THAT(features.x_unit_delta, ::testing::ElementsAre(0.6, -0.8, 0, 0, 0, 0, 0, 0, -0.5, -0.5, -0.5, -0.5));
}

}  // namespace
}  // namespace scvet::trial
