#include "pca_embedding.h"

#include <algorithm>

#include "scvet/base/text.h"
#include "scvet/numeric/principal_components_counts.h"
#include "scvet/numeric/variable_genes.h"

namespace scvet::embed {
namespace {

constexpr double kGenes = 2000, kComponents = 50;  // the defaults, for the estimates

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

// Beside the counts (8 bytes a value): the kept genes' logarithms (12 bytes a value, at most all values), sums a block of
// cells, the Gram matrix and Lanczos' vectors, scores.
double pca_bytes(std::int64_t n_cells, std::int64_t n_genes, std::int64_t stored) {
  const auto cells = static_cast<double>(n_cells), genes = static_cast<double>(n_genes);
  const double kept = std::min(kGenes, genes), smaller = std::min(cells, kept);
  const double blocks = std::clamp(cells / 1024, 1.0, 64.0);
  return 8 * static_cast<double>(stored) + std::max(12 * static_cast<double>(stored), 16 * blocks * genes) +
         8 * smaller * smaller + 8 * 6 * kComponents * smaller + 4 * kComponents * cells + 24 * cells;
}

double pca_seconds(std::int64_t n_cells, std::int64_t n_genes, std::int64_t stored) {
  const auto cells = static_cast<double>(n_cells), genes = static_cast<double>(n_genes);
  const double kept = std::min(kGenes, genes), values = static_cast<double>(stored);
  const double kept_share = genes > 0 ? kept / genes : 0;
  const double kept_of_cell = cells > 0 ? values * kept_share / cells : 0;
  return 4e-8 * values + cells * std::min(1e-9 * kept_of_cell * kept_of_cell, 1e-10 * kept * kept) +
         1e-9 * kComponents * values * kept_share + 1e-7 * kept * kept;
}

}  // namespace scvet::embed
