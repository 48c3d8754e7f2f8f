#include "pearson_residuals.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "scvet/base/parallel.h"
#include "scvet/base/text.h"
#include "scvet/numeric/moments.h"
#include "scvet/numeric/order_statistics.h"
#include "scvet/numeric/ranks.h"

namespace scvet::metrics {
namespace {

bool technical_name(const std::string& name) {
  const std::string small = lower(name);
  for (const char* const prefix : {"mt-", "ercc-", "rpl", "rps"})
    if (small.starts_with(prefix)) return true;
  return false;
}

// Of each gene of a list, the cells that store it, ascending, with their counts.
struct ByGene {
  std::vector<std::size_t> first;
  std::vector<std::uint32_t> cells;
  std::vector<float> counts;
};

// Place of each column in `genes`, or none.
std::vector<std::uint32_t> places(std::span<const std::uint32_t> genes, std::int64_t n_columns, std::uint32_t none) {
  std::vector<std::uint32_t> found(static_cast<std::size_t>(n_columns), none);
  for (std::size_t at = 0; at < genes.size(); ++at) found[genes[at]] = static_cast<std::uint32_t>(at);
  return found;
}

constexpr std::uint32_t kNone = ~std::uint32_t{0};

ByGene by_gene(CsrView batch, std::span<const std::uint32_t> genes) {
  const std::vector<std::uint32_t> place = places(genes, batch.cols, kNone);
  ByGene made;
  made.first.assign(genes.size() + 1, 0);
  for (std::int64_t cell = 0; cell < batch.rows; ++cell)
    for (const std::uint32_t column : batch.row_columns(cell))
      if (place[column] != kNone) ++made.first[place[column] + 1];
  std::partial_sum(made.first.begin(), made.first.end(), made.first.begin());
  made.cells.resize(made.first.back());
  made.counts.resize(made.first.back());
  std::vector<std::size_t> next(made.first.begin(), made.first.end() - 1);
  for (std::int64_t cell = 0; cell < batch.rows; ++cell) {
    const auto columns = batch.row_columns(cell);
    for (std::size_t at = 0; at < columns.size(); ++at) {
      if (place[columns[at]] == kNone) continue;
      const std::size_t to = next[place[columns[at]]]++;
      made.cells[to] = static_cast<std::uint32_t>(cell);
      made.counts[to] = batch.row_values(cell)[at];
    }
  }
  return made;
}

double variance(std::span<const float> values) {
  const auto n = static_cast<double>(values.size());
  double sum = 0, squares = 0;
  for (const float value : values) sum += double{value};
  const double mean = sum / n;
  for (const float value : values) squares += (double{value} - mean) * (double{value} - mean);
  return squares / (n - 1);
}

}  // namespace

CandidateGenes candidate_genes(CsrView counts, std::span<const std::string> names,
                               std::span<const std::uint8_t> technical) {
  constexpr std::int64_t kFewestCells = 10;
  constexpr double kLeastTotal = 10;
  const auto n_genes = static_cast<std::size_t>(counts.cols);
  std::vector<std::int64_t> detected(n_genes, 0);
  std::vector<double> totals(n_genes, 0.0);
  for (std::int64_t cell = 0; cell < counts.rows; ++cell) {
    const auto columns = counts.row_columns(cell);
    for (std::size_t at = 0; at < columns.size(); ++at) {
      ++detected[columns[at]];
      totals[columns[at]] += double{counts.row_values(cell)[at]};
    }
  }
  CandidateGenes found;
  for (std::size_t gene = 0; gene < n_genes; ++gene) {
    if (detected[gene] < kFewestCells || totals[gene] < kLeastTotal) continue;
    if (technical_name(names[gene]) || (!technical.empty() && technical[gene])) continue;
    found.columns.push_back(static_cast<std::uint32_t>(gene));
    found.detected.push_back(detected[gene]);
  }
  return found;
}

BatchResiduals::BatchResiduals(CsrView batch) : batch_(batch), gene_totals_(static_cast<std::size_t>(batch.cols), 0.0) {
  for (std::int64_t cell = 0; cell < batch.rows; ++cell) {
    const auto columns = batch.row_columns(cell);
    double sum = 0;
    for (std::size_t at = 0; at < columns.size(); ++at) {
      const double count = double{batch.row_values(cell)[at]};
      sum += count;
      gene_totals_[columns[at]] += count;
    }
    cell_totals_.push_back(sum);
    total_ += sum;
  }
  limit_ = std::sqrt(static_cast<double>(batch.rows));
}

float BatchResiduals::residual(std::int64_t cell, double gene_total, double count) const {
  constexpr double kTheta = 100;
  const double mu = cell_totals_[static_cast<std::size_t>(cell)] * gene_total / total_;
  if (!(mu > 0)) return 0;
  return static_cast<float>(std::clamp((count - mu) / std::sqrt(mu + mu * mu / kTheta), -limit_, limit_));
}

std::vector<double> BatchResiduals::variances(std::span<const std::uint32_t> genes) const {
  constexpr std::int64_t kGenes = 32;
  const ByGene stored = by_gene(batch_, genes);
  std::vector<double> found(genes.size());
  parallel_for((std::ssize(genes) + kGenes - 1) / kGenes, [&](std::int64_t task, int) {
    std::vector<float> residuals(static_cast<std::size_t>(batch_.rows));
    const auto first = static_cast<std::size_t>(task * kGenes);
    for (std::size_t gene = first; gene < std::min(genes.size(), first + kGenes); ++gene) {
      const double gene_total = gene_totals_[genes[gene]];
      for (std::int64_t cell = 0; cell < batch_.rows; ++cell)
        residuals[static_cast<std::size_t>(cell)] = residual(cell, gene_total, 0);
      for (std::size_t at = stored.first[gene]; at < stored.first[gene + 1]; ++at)
        residuals[stored.cells[at]] = residual(stored.cells[at], gene_total, double{stored.counts[at]});
      found[gene] = variance(residuals);
    }
  });
  return found;
}

std::vector<float> BatchResiduals::matrix(std::span<const std::uint32_t> genes) const {
  constexpr std::int64_t kRows = 64;
  const std::vector<std::uint32_t> place = places(genes, batch_.cols, kNone);
  std::vector<float> made(static_cast<std::size_t>(batch_.rows) * genes.size());
  parallel_for((batch_.rows + kRows - 1) / kRows, [&](std::int64_t task, int) {
    for (std::int64_t cell = task * kRows; cell < std::min(batch_.rows, (task + 1) * kRows); ++cell) {
      float* const row = made.data() + static_cast<std::size_t>(cell) * genes.size();
      for (std::size_t gene = 0; gene < genes.size(); ++gene) row[gene] = residual(cell, gene_totals_[genes[gene]], 0);
      const auto columns = batch_.row_columns(cell);
      for (std::size_t at = 0; at < columns.size(); ++at)
        if (place[columns[at]] != kNone)
          row[place[columns[at]]] = residual(cell, gene_totals_[columns[at]], double{batch_.row_values(cell)[at]});
    }
  });
  return made;
}

std::vector<std::uint32_t> most_variable(const CandidateGenes& candidates,
                                         const std::vector<std::vector<double>>& variances, std::int64_t n_genes) {
  const std::size_t n = candidates.columns.size();
  std::vector<std::vector<double>> shares(n);  // of each candidate, one a batch
  for (const auto& batch : variances) {
    const std::vector<double> ranks = numeric::average_ranks(batch);
    for (std::size_t gene = 0; gene < n; ++gene) shares[gene].push_back(ranks[gene] / static_cast<double>(n));
  }
  using Key = std::tuple<double, double, std::int64_t, std::size_t>;  // ascending is the order wanted
  std::vector<Key> keys;
  for (std::size_t gene = 0; gene < n; ++gene)
    keys.emplace_back(-numeric::median(shares[gene]), -numeric::mean(shares[gene]), -candidates.detected[gene], gene);
  std::sort(keys.begin(), keys.end());
  std::vector<std::uint32_t> chosen;
  for (std::size_t at = 0; at < std::min(n, static_cast<std::size_t>(n_genes)); ++at)
    chosen.push_back(candidates.columns[std::get<3>(keys[at])]);
  return chosen;
}

}  // namespace scvet::metrics
