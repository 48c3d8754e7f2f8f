#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "gene_moments.h"
#include "scvet/base/error.h"
#include "scvet/numeric/loess.h"
#include "scvet/numeric/order_statistics.h"
#include "scvet/numeric/variable_genes.h"

namespace scvet::numeric {
namespace {

constexpr double kSpan = .3;

// Standard deviation expected at each gene's mean: of a smooth curve through log10 variance against log10 mean; 1 where a
// gene does not vary.
std::vector<double> expected_deviations(const GeneMoments& moments) {
  std::vector<double> x, y, expected(moments.mean.size(), 1.0);
  std::vector<std::size_t> varying;
  for (std::size_t gene = 0; gene < moments.mean.size(); ++gene) {
    if (!(moments.variance[gene] > 0)) continue;
    varying.push_back(gene);
    x.push_back(std::log10(moments.mean[gene]));
    y.push_back(std::log10(moments.variance[gene]));
  }
  const std::vector<double> fitted = loess(x, y, kSpan);
  for (std::size_t at = 0; at < varying.size(); ++at) expected[varying[at]] = std::sqrt(std::pow(10, fitted[at]));
  return expected;
}

// Variances of the counts of these cells, standardised by the expected deviation and clipped at sqrt(n).
std::vector<double> standardised_variances(CsrView counts, std::span<const std::int64_t> cells) {
  if (cells.size() < 2)
    throw DataError("variable genes of a batch need at least two cells, and one batch has " +
                        std::to_string(cells.size()) + "; leave the batch out or take no batches",
                    {.reason = "batch_too_small"});
  const GeneMoments moments = gene_moments(counts, cells, [](std::int64_t, float count) { return double{count}; });
  const std::vector<double> expected = expected_deviations(moments);
  const auto n = static_cast<double>(cells.size());
  const auto n_genes = static_cast<std::size_t>(counts.cols);
  const std::vector<double> sums = sum_rows(std::ssize(cells), 2 * counts.cols, [&](std::int64_t at, double* to) {
    const std::int64_t row = cells[static_cast<std::size_t>(at)];
    for (std::int64_t entry = counts.indptr[row]; entry < counts.indptr[row + 1]; ++entry) {
      const std::uint32_t gene = counts.columns[entry];
      const double clipped = std::min(double{counts.values[entry]}, moments.mean[gene] + expected[gene] * std::sqrt(n));
      to[gene] += clipped;
      to[counts.cols + gene] += clipped * clipped;
    }
  });
  std::vector<double> variances(n_genes);
  for (std::size_t gene = 0; gene < n_genes; ++gene) {
    const double mean = moments.mean[gene];
    variances[gene] =
        (n * mean * mean + sums[n_genes + gene] - 2 * mean * sums[gene]) / ((n - 1) * expected[gene] * expected[gene]);
  }
  return variances;
}

std::vector<std::vector<std::int64_t>> cells_of_batches(std::int64_t n_cells,
                                                        std::span<const std::int32_t> batch_of_cell) {
  std::vector<std::vector<std::int64_t>> batches(1);
  for (std::int64_t cell = 0; cell < n_cells; ++cell) {
    const auto batch =
        batch_of_cell.empty() ? 0 : static_cast<std::size_t>(batch_of_cell[static_cast<std::size_t>(cell)]);
    if (batch >= batches.size()) batches.resize(batch + 1);
    batches[batch].push_back(cell);
  }
  return batches;
}

// Columns, the largest value first; ties by column.
std::vector<std::size_t> descending(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return values[a] > values[b]; });
  return order;
}

// The chosen columns, ascending.
std::vector<std::int64_t> choose(const VstGenes& found, std::int64_t n_top, VstOrder order) {
  std::vector<std::int64_t> columns(found.rank.size());
  std::iota(columns.begin(), columns.end(), std::int64_t{0});
  std::stable_sort(columns.begin(), columns.end(), [&](std::int64_t left, std::int64_t right) {
    const auto a = static_cast<std::size_t>(left), b = static_cast<std::size_t>(right);
    if ((found.n_batches[a] == 0) != (found.n_batches[b] == 0)) return found.n_batches[b] == 0;
    if (found.n_batches[a] == 0) return false;
    const bool by_batches = found.n_batches[a] != found.n_batches[b], by_rank = found.rank[a] != found.rank[b];
    if (by_batches && (order == VstOrder::kBatches || !by_rank)) return found.n_batches[a] > found.n_batches[b];
    return found.rank[a] < found.rank[b];
  });
  columns.resize(static_cast<std::size_t>(std::min<std::int64_t>(n_top, std::ssize(columns))));
  std::sort(columns.begin(), columns.end());
  return columns;
}

}  // namespace

VstGenes vst_genes(CsrView counts, std::span<const std::int32_t> batch_of_cell, std::int64_t n_top, VstOrder order) {
  if (n_top < 1) throw UsageError("the number of variable genes must be at least 1, not " + std::to_string(n_top));
  const auto n_genes = static_cast<std::size_t>(counts.cols);
  VstGenes found{
      {}, std::vector<double>(n_genes, 0.0), std::vector<double>(n_genes), std::vector<std::int32_t>(n_genes)};
  std::vector<std::vector<double>> ranks(n_genes);
  const auto batches = cells_of_batches(counts.rows, batch_of_cell);
  for (const std::vector<std::int64_t>& cells : batches) {
    const std::vector<double> variances = standardised_variances(counts, cells);
    const std::vector<std::size_t> sorted = descending(variances);
    for (std::size_t rank = 0; rank < std::min(n_genes, static_cast<std::size_t>(n_top)); ++rank)
      ranks[sorted[rank]].push_back(static_cast<double>(rank));
    for (std::size_t gene = 0; gene < n_genes; ++gene)
      found.variances_norm[gene] += variances[gene] / static_cast<double>(batches.size());
  }
  for (std::size_t gene = 0; gene < n_genes; ++gene) {
    found.n_batches[gene] = static_cast<std::int32_t>(ranks[gene].size());
    found.rank[gene] = median(ranks[gene]);
  }
  found.genes = choose(found, n_top, order);
  return found;
}

}  // namespace scvet::numeric
