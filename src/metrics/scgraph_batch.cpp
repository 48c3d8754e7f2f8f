#include "scgraph_batch.h"

#include <algorithm>

#include "scvet/base/parallel.h"
#include "scvet/data/csr_matrix.h"
#include "scvet/numeric/gram.h"
#include "scvet/numeric/leading_eigen.h"
#include "scvet/numeric/log_normalise.h"
#include "scvet/numeric/variable_genes.h"

namespace scvet::metrics {
namespace {

constexpr std::int64_t kGenes = 1000, kComponents = 10;

// Cells x genes, dense.
std::vector<float> dense_logarithms(CsrView counts, std::span<const std::int64_t> genes) {
  constexpr std::int64_t kOutside = -1;
  std::vector<std::int64_t> column(static_cast<std::size_t>(counts.cols), kOutside);
  for (std::size_t at = 0; at < genes.size(); ++at)
    column[static_cast<std::size_t>(genes[at])] = static_cast<std::int64_t>(at);
  const std::vector<float> logarithms = numeric::log_normalise(counts);
  std::vector<float> dense(static_cast<std::size_t>(counts.rows) * genes.size(), 0.0F);
  std::size_t stored = 0;
  for (std::int64_t row = 0; row < counts.rows; ++row)
    for (const std::uint32_t gene : counts.row_columns(row)) {
      if (column[gene] != kOutside)
        dense[static_cast<std::size_t>(row) * genes.size() + static_cast<std::size_t>(column[gene])] =
            logarithms[stored];
      ++stored;
    }
  return dense;
}

}  // namespace

BatchComponents batch_components(CsrView counts, std::span<const std::int64_t> cells) {
  const CsrMatrix batch = select_cells(counts, cells);
  const std::vector<std::int64_t> genes = numeric::dispersion_genes(batch.view(), kGenes).genes;
  const std::vector<float> dense = dense_logarithms(batch.view(), genes);
  const auto n_genes = std::ssize(genes);
  const MatrixView<const float> x(dense.data(), std::ssize(cells), n_genes);
  const std::vector<double> means = numeric::column_means(x);
  const std::vector<double> products = numeric::gram(x, means);
  const numeric::Eigen axes = numeric::leading_eigen(MatrixView<const double>(products.data(), n_genes, n_genes),
                                                     kComponents, numeric::Leading::kLargest);

  BatchComponents made{.n_components = std::ssize(axes.values), .scores = {}};
  made.scores.resize(static_cast<std::size_t>(x.rows * made.n_components));
  parallel_for(x.rows, [&](std::int64_t row, int) {
    for (std::int64_t axis = 0; axis < made.n_components; ++axis) {
      double sum = 0;
      for (std::int64_t gene = 0; gene < n_genes; ++gene)
        sum += (static_cast<double>(x(row, gene)) - means[static_cast<std::size_t>(gene)]) *
               axes.vectors[static_cast<std::size_t>(axis * n_genes + gene)];
      made.scores[static_cast<std::size_t>(row * made.n_components + axis)] = static_cast<float>(sum);
    }
  });
  return made;
}

}  // namespace scvet::metrics
