#include "scvet/numeric/principal_components_counts.h"

#include <algorithm>
#include <cmath>

#include "dense_products.h"
#include "scaled_counts.h"
#include "scvet/base/error.h"
#include "scvet/base/parallel.h"
#include "scvet/base/text.h"
#include "scvet/numeric/leading_eigen.h"

namespace scvet::numeric {
namespace {

constexpr double kSpanned = 1e-12;       // of a squared singular value, beside the largest: below it is rounding error
constexpr double kSparseShare = 1. / 8;  // of the products of two entries that are stored: below it they pay alone
constexpr std::int64_t kRows = 256;

struct Square {
  std::vector<double> values;
  std::int64_t size;
  explicit Square(std::int64_t n) : values(static_cast<std::size_t>(n * n), 0.0), size(n) {}
  MatrixView<double> view() { return {values.data(), size, size}; }
};

void mirror(MatrixView<double> matrix) {
  for (std::int64_t row = 0; row < matrix.rows; ++row)
    for (std::int64_t col = 0; col < row; ++col) matrix(row, col) = matrix(col, row);
}

// Z Z' from panels of cells: each cell's row of z is laid out, gene by gene.
Square gram_of_cells(const ScaledCounts& z) {
  Square products(z.n_rows);
  const auto fill = [&](const PanelRequest& request) {
    for (std::int64_t at = 0; at < kProductTile; ++at) {
      const std::int64_t row = request.first_output + at;
      double* const to = request.panel + at / request.cols * request.cols * request.n_k + at % request.cols;
      for (std::int64_t k = 0; k < request.n_k; ++k)
        to[k * request.cols] = row < z.n_rows ? -z.offset[static_cast<std::size_t>(request.first_k + k)] : 0;
      if (row >= z.n_rows) continue;
      const auto first = z.columns.begin() + static_cast<std::ptrdiff_t>(z.begin_of(row));
      const auto last = z.columns.begin() + static_cast<std::ptrdiff_t>(z.end_of(row));
      for (auto entry = std::lower_bound(first, last, request.first_k); entry != last; ++entry) {
        const std::int64_t k = *entry - request.first_k;
        if (k >= request.n_k) break;
        to[k * request.cols] += z.values[static_cast<std::size_t>(entry - z.columns.begin())];
      }
    }
  };
  symmetric_products(fill, z.n_rows, z.n_rows, z.n_cols, products.view(), dense_kernel(simd_target()));
  mirror(products.view());
  return products;
}

// Z' Z from panels of genes.
Square gram_of_genes_dense(const ScaledCounts& z) {
  Square products(z.n_cols);
  const auto fill = [&](const PanelRequest& request) {
    const auto place = [&](std::int64_t at, std::int64_t k) -> double& {
      return request.panel[(at / request.cols * request.n_k + k) * request.cols + at % request.cols];
    };
    for (std::int64_t at = 0; at < kProductTile; ++at) {
      const std::int64_t column = request.first_output + at;
      for (std::int64_t k = 0; k < request.n_k; ++k)
        place(at, k) = column < z.n_cols ? -z.offset[static_cast<std::size_t>(column)] : 0;
    }
    for (std::int64_t k = 0; k < request.n_k; ++k) {
      const std::int64_t row = request.first_k + k;
      const auto first = z.columns.begin() + static_cast<std::ptrdiff_t>(z.begin_of(row));
      const auto last = z.columns.begin() + static_cast<std::ptrdiff_t>(z.end_of(row));
      for (auto entry = std::lower_bound(first, last, request.first_output); entry != last; ++entry) {
        const std::int64_t at = *entry - request.first_output;
        if (at >= kProductTile) break;
        place(at, k) += z.values[static_cast<std::size_t>(entry - z.columns.begin())];
      }
    }
  };
  symmetric_products(fill, z.n_cols, z.n_cols, z.n_rows, products.view(), dense_kernel(simd_target()));
  mirror(products.view());
  return products;
}

// Z' Z = D' D - n offset offset', by the pairs of stored values of each cell; a task has some genes and sees every cell.
Square gram_of_genes_sparse(const ScaledCounts& z) {
  constexpr std::int64_t kGenes = 32;
  Square products(z.n_cols);
  const MatrixView<double> out = products.view();
  parallel_for((z.n_cols + kGenes - 1) / kGenes, [&](std::int64_t task, int) {
    const std::int64_t first = task * kGenes, past = std::min(z.n_cols, first + kGenes);
    for (std::int64_t row = 0; row < z.n_rows; ++row) {
      const std::size_t end = z.end_of(row);
      auto left =
          static_cast<std::size_t>(std::lower_bound(z.columns.begin() + static_cast<std::ptrdiff_t>(z.begin_of(row)),
                                                    z.columns.begin() + static_cast<std::ptrdiff_t>(end), first) -
                                   z.columns.begin());
      for (; left < end && z.columns[left] < past; ++left) {
        double* const sums = out.row(z.columns[left]);
        const double value = z.values[left];
        for (std::size_t right = left; right < end; ++right) sums[z.columns[right]] += value * z.values[right];
      }
    }
    const auto n = static_cast<double>(z.n_rows);
    for (std::int64_t gene = first; gene < past; ++gene)
      for (std::int64_t other = gene; other < z.n_cols; ++other)
        out(gene, other) -= n * z.offset[static_cast<std::size_t>(gene)] * z.offset[static_cast<std::size_t>(other)];
  });
  mirror(out);
  return products;
}

// By the data alone, so that the choice is the same everywhere.
Square gram_of_genes(const ScaledCounts& z) {
  double pairs = 0;
  for (std::int64_t row = 0; row < z.n_rows; ++row) {
    const auto stored = static_cast<double>(z.end_of(row) - z.begin_of(row));
    pairs += stored * stored;
  }
  const double all = static_cast<double>(z.n_rows) * static_cast<double>(z.n_cols) * static_cast<double>(z.n_cols);
  return pairs < kSparseShare * all ? gram_of_genes_sparse(z) : gram_of_genes_dense(z);
}

// vectors (n x cells) times Z: n x genes.
std::vector<double> across_cells(const std::vector<double>& vectors, std::int64_t n, const ScaledCounts& z) {
  std::vector<double> made(static_cast<std::size_t>(n * z.n_cols), 0.0);
  parallel_for(n, [&](std::int64_t at, int) {
    double* const sums = made.data() + at * z.n_cols;
    double whole = 0;
    for (std::int64_t row = 0; row < z.n_rows; ++row) {
      const double factor = vectors[static_cast<std::size_t>(at * z.n_rows + row)];
      whole += factor;
      for (std::size_t entry = z.begin_of(row); entry < z.end_of(row); ++entry)
        sums[z.columns[entry]] += factor * z.values[entry];
    }
    for (std::int64_t gene = 0; gene < z.n_cols; ++gene) sums[gene] -= whole * z.offset[static_cast<std::size_t>(gene)];
  });
  return made;
}

// Rows of length 1, the largest entry (the first of equal ones) of each positive.
void orient(std::vector<double>& axes, std::int64_t n, std::int64_t length) {
  for (std::int64_t at = 0; at < n; ++at) {
    const std::span<double> axis(axes.data() + at * length, static_cast<std::size_t>(length));
    double squares = 0;
    for (const double entry : axis) squares += entry * entry;
    const double largest =
        *std::max_element(axis.begin(), axis.end(), [](double a, double b) { return std::fabs(a) < std::fabs(b); });
    const double factor = (largest < 0 ? -1 : 1) / std::sqrt(squares);
    for (double& entry : axis) entry *= factor;
  }
}

std::vector<float> scores_of(const CountComponents& components, const ScaledCounts& z) {
  const std::int64_t n = components.n_components;
  std::vector<double> by_gene(static_cast<std::size_t>(z.n_cols * n)), offset(static_cast<std::size_t>(n), 0.0);
  for (std::int64_t at = 0; at < n; ++at)
    for (std::int64_t gene = 0; gene < z.n_cols; ++gene) {
      const double loading = components.loadings[static_cast<std::size_t>(at * z.n_cols + gene)];
      by_gene[static_cast<std::size_t>(gene * n + at)] = loading;
      offset[static_cast<std::size_t>(at)] += loading * z.offset[static_cast<std::size_t>(gene)];
    }
  std::vector<float> scores(static_cast<std::size_t>(z.n_rows * n));
  parallel_for((z.n_rows + kRows - 1) / kRows, [&](std::int64_t task, int) {
    std::vector<double> sums(static_cast<std::size_t>(n));
    for (std::int64_t row = task * kRows; row < std::min(z.n_rows, (task + 1) * kRows); ++row) {
      std::fill(sums.begin(), sums.end(), 0.0);
      for (std::size_t entry = z.begin_of(row); entry < z.end_of(row); ++entry) {
        const double* const loadings = by_gene.data() + static_cast<std::int64_t>(z.columns[entry]) * n;
        for (std::int64_t at = 0; at < n; ++at) sums[static_cast<std::size_t>(at)] += z.values[entry] * loadings[at];
      }
      for (std::int64_t at = 0; at < n; ++at)
        scores[static_cast<std::size_t>(row * n + at)] =
            static_cast<float>(sums[static_cast<std::size_t>(at)] - offset[static_cast<std::size_t>(at)]);
    }
  });
  return scores;
}

}  // namespace

CountComponents count_components(CsrView counts, std::span<const std::int64_t> genes, std::int64_t n_components) {
  if (n_components < 1)
    throw UsageError("the number of components must be at least 1, not " + std::to_string(n_components));
  const std::int64_t smaller = std::min<std::int64_t>(counts.rows, std::ssize(genes));
  if (smaller <= n_components)
    throw DataError(format_count(n_components) + " principal components need more than " + format_count(n_components) +
                        " cells and as many genes, and there are " + format_count(counts.rows) + " cells and " +
                        format_count(std::ssize(genes)) + " variable genes; ask for at most " +
                        format_count(std::max<std::int64_t>(smaller - 1, 0)) + " components",
                    {.reason = "too_few_for_components"});
  CountComponents found;
  found.scaling.genes.assign(genes.begin(), genes.end());
  found.n_components = n_components;
  const ScaledCounts z = fit_scaling(counts, found.scaling);
  const bool by_cells = z.n_rows < z.n_cols;
  Eigen eigen;
  {
    Square gram = by_cells ? gram_of_cells(z) : gram_of_genes(z);
    eigen = leading_eigen(gram.view(), n_components, Leading::kLargest);
  }
  std::int64_t spanned = 0;
  for (const double value : eigen.values) {
    if (!(value > 0 && value > kSpanned * eigen.values.front())) break;
    found.singular_values.push_back(std::sqrt(value));
    ++spanned;
  }
  found.loadings = by_cells ? across_cells(eigen.vectors, spanned, z) : std::move(eigen.vectors);
  orient(found.loadings, spanned, z.n_cols);
  found.singular_values.resize(static_cast<std::size_t>(n_components), 0.0);
  found.loadings.resize(static_cast<std::size_t>(spanned * z.n_cols));
  found.loadings.resize(static_cast<std::size_t>(n_components * z.n_cols), 0.0);
  found.scores = scores_of(found, z);
  return found;
}

std::vector<float> project_counts(const CountComponents& components, CsrView counts) {
  return scores_of(components, scale_counts(counts, components.scaling));
}

}  // namespace scvet::numeric
