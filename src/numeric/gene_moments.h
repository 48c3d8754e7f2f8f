// Mean and variance of every column of a sparse matrix over some of its rows.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "column_sums.h"
#include "scvet/base/csr_view.h"

namespace scvet::numeric {

struct GeneMoments {
  std::vector<double> mean, variance;  // variance: divisor n - 1, two passes; NaN for one row
};

// Of value(row, count) of the stored entries and 0 elsewhere.
template <class Value>
GeneMoments gene_moments(CsrView counts, std::span<const std::int64_t> rows, const Value& value) {
  const auto n = static_cast<double>(rows.size());
  const auto n_genes = static_cast<std::size_t>(counts.cols);
  const auto row_at = [&](std::int64_t at) { return rows[static_cast<std::size_t>(at)]; };
  const std::vector<double> sums = sum_rows(std::ssize(rows), 2 * counts.cols, [&](std::int64_t at, double* to) {
    const std::int64_t row = row_at(at);
    for (std::int64_t entry = counts.indptr[row]; entry < counts.indptr[row + 1]; ++entry) {
      to[counts.columns[entry]] += value(row, counts.values[entry]);
      to[counts.cols + counts.columns[entry]] += 1;
    }
  });
  GeneMoments found{std::vector<double>(n_genes), {}};
  for (std::size_t gene = 0; gene < n_genes; ++gene) found.mean[gene] = sums[gene] / n;
  found.variance = sum_rows(std::ssize(rows), counts.cols, [&](std::int64_t at, double* to) {
    const std::int64_t row = row_at(at);
    for (std::int64_t entry = counts.indptr[row]; entry < counts.indptr[row + 1]; ++entry) {
      const double beside = value(row, counts.values[entry]) - found.mean[counts.columns[entry]];
      to[counts.columns[entry]] += beside * beside;
    }
  });
  for (std::size_t gene = 0; gene < n_genes; ++gene) {
    const double absent = n - sums[n_genes + gene], mean = found.mean[gene];
    found.variance[gene] = (found.variance[gene] + absent * mean * mean) / (n - 1);
  }
  return found;
}

}  // namespace scvet::numeric
