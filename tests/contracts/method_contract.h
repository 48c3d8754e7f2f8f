// What every method promises: a row a cell, finite or missing with a reason; no dependence on the order of the file, on
// the number of workers or, as far as the record says so, on other cells; the same bytes for the same seed.
// methods_test.cpp runs it over the whole table.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "scvet/base/parallel.h"
#include "scvet/data/csr_matrix.h"
#include "scvet/embed/method.h"

namespace scvet::embed::testing {

// Cells that own what a MethodInput views.
struct MethodCells {
  std::vector<std::string> names, genes;
  CsrMatrix counts;
  Groups labels, batches;

  MethodInput input(std::uint64_t seed) const {
    return {.counts = counts.view(),
            .cell_names = names,
            .gene_names = genes,
            .labels = &labels,
            .batches = &batches,
            .seed = seed,
            .parameters = {}};
  }
  MethodCells select(const std::vector<std::int64_t>& cells) const {
    MethodCells chosen{
        {}, genes, select_cells(counts.view(), cells), select_groups(labels, cells), select_groups(batches, cells)};
    for (const std::int64_t cell : cells) chosen.names.push_back(names[static_cast<std::size_t>(cell)]);
    return chosen;
  }
};

inline bool same_bytes(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](float left, float right) {
           return left == right || (std::isnan(left) && std::isnan(right));
         });
}

inline void expect_rows_and_reasons(const MethodOutput& output, std::size_t n_cells) {
  ASSERT_GT(output.n_dims, 0);
  const auto n_dims = static_cast<std::size_t>(output.n_dims);
  ASSERT_EQ(output.values.size(), n_cells * n_dims);
  ASSERT_TRUE(output.missing_reason.empty() || output.missing_reason.size() == n_cells);
  EXPECT_TRUE(output.genes.empty() || output.genes.size() == n_dims);
  for (std::size_t cell = 0; cell < n_cells; ++cell) {
    const bool missing = !output.missing_reason.empty() && !output.missing_reason[cell].empty();
    for (std::size_t at = 0; at < n_dims; ++at) {
      const float value = output.values[cell * n_dims + at];
      ASSERT_TRUE(missing ? std::isnan(value) : std::isfinite(value)) << "cell " << cell;
    }
  }
}

// `tolerance`: of the largest value of a column.
inline void expect_rows_of(const MethodOutput& whole, const MethodOutput& part, const std::vector<std::int64_t>& cells,
                           double tolerance) {
  ASSERT_EQ(part.n_dims, whole.n_dims);
  const auto n_dims = static_cast<std::size_t>(whole.n_dims);
  std::vector<double> largest(n_dims, 0);
  for (std::size_t at = 0; at < whole.values.size(); ++at)
    largest[at % n_dims] = std::max(largest[at % n_dims], std::fabs(static_cast<double>(whole.values[at])));
  for (std::size_t at = 0; at < part.values.size(); ++at) {
    const std::size_t row = static_cast<std::size_t>(cells[at / n_dims]);
    ASSERT_NEAR(part.values[at], whole.values[row * n_dims + at % n_dims], tolerance * largest[at % n_dims])
        << "cell " << row << ", dimension " << at % n_dims;
  }
}

// seeded: another seed gives another embedding. tolerance: what the order of cells may change.
inline void expect_method_contract(const MethodRecord& record, const MethodCells& cells, bool seeded,
                                   double tolerance) {
  SCOPED_TRACE(record.name);
  const MethodOutput output = record.embed(cells.input(5));
  expect_rows_and_reasons(output, cells.names.size());
  EXPECT_TRUE(same_bytes(record.embed(cells.input(5)).values, output.values)) << "the same seed again";
  EXPECT_EQ(!same_bytes(record.embed(cells.input(6)).values, output.values), seeded) << "another seed";
  for (const int workers : {1, 3}) {
    set_workers(workers);
    EXPECT_TRUE(same_bytes(record.embed(cells.input(5)).values, output.values)) << workers << " workers";
  }
  set_workers(0);

  std::vector<std::int64_t> order(cells.names.size());
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::reverse(order.begin(), order.end());
  std::rotate(order.begin(), order.begin() + 17, order.end());
  expect_rows_of(output, record.embed(cells.select(order).input(5)), order, tolerance);
  if (record.transductive) return;
  order.resize(order.size() / 3);
  expect_rows_of(output, record.embed(cells.select(order).input(5)), order, 0);
}

}  // namespace scvet::embed::testing
