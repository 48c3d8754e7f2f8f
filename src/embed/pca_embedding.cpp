#include "pca_embedding.h"

#include <algorithm>

#include "scvet/base/text.h"
#include "scvet/numeric/principal_components_counts.h"
#include "scvet/numeric/variable_genes.h"

namespace scvet::embed {
namespace {

constexpr double kGenes = 2000, kComponents = 50;  // the defaults, for the estimates

// The share of the values that kept genes have: less than a third on files of a whole genome; on small panels nearly all.
double kept_share(double genes) { return genes > 0 ? std::max(.3, std::min(kGenes, genes) / genes) : 0; }

std::int64_t cells_without_counts(CsrView counts) {
  std::int64_t found = 0;
  for (std::int64_t cell = 0; cell < counts.rows; ++cell) {
    const auto values = counts.row_values(cell);
    found += std::all_of(values.begin(), values.end(), [](float value) { return value == 0; });
  }
  return found;
}

}  // namespace

MethodOutput pca_embedding(const MethodRecord& record, const MethodInput& input) {
  const std::int64_t n_top = integer_parameter(record, input, "pca_n_top_genes");
  const std::int64_t n_components = integer_parameter(record, input, "pca_n_comps");
  const numeric::DispersionGenes variable = numeric::dispersion_genes(input.counts, n_top);
  numeric::CountComponents found = numeric::count_components(input.counts, variable.genes, n_components);
  const auto spanned =
      std::count_if(found.singular_values.begin(), found.singular_values.end(), [](double value) { return value > 0; });
  return {.n_dims = n_components,
          .values = std::move(found.scores),
          .facts = {{"variable_genes", std::to_string(variable.genes.size())},
                    {"dispersion_cut_off", format_number(variable.cut_off)},
                    {"components_spanned", std::to_string(spanned)},
                    {"cells_without_counts", std::to_string(cells_without_counts(input.counts))}}};
}

// Counts (8 bytes a value), the kept genes' logarithms (12), sums of 64 blocks of cells, the Gram matrix and Lanczos'
// vectors, scores. Measured: bench/README.md.
double pca_bytes(std::int64_t n_cells, std::int64_t n_genes, std::int64_t stored) {
  const auto cells = static_cast<double>(n_cells), genes = static_cast<double>(n_genes);
  const auto values = static_cast<double>(stored);
  const double smaller = std::min({cells, kGenes, genes}), blocks = std::clamp(cells / 1024, 1.0, 64.0);
  return 8 * values + 12 * kept_share(genes) * values + 16 * blocks * genes + 8 * smaller * smaller +
         16 * 5 * kComponents * smaller + (4 * kComponents + 24) * cells;
}

// Passes over the values, products of pairs (each stored pair, or every pair in wide registers), some 300 products of the
// Gram matrix with a vector, scores.
double pca_seconds(std::int64_t n_cells, std::int64_t n_genes, std::int64_t stored) {
  const auto cells = static_cast<double>(n_cells), genes = static_cast<double>(n_genes);
  const double kept = std::min(kGenes, genes), smaller = std::min(cells, kept);
  const double of_cell = cells > 0 ? kept_share(genes) * static_cast<double>(stored) / cells : 0;
  return 4e-8 * static_cast<double>(stored) + cells * std::min(5e-10 * of_cell * of_cell, 1e-10 * kept * kept) +
         1e-6 * smaller * smaller + 1e-9 * kComponents * of_cell * cells;
}

}  // namespace scvet::embed
