// Exact principal components of log-normalised, standardised counts in bounded memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scvet/base/csr_view.h"

namespace scvet::numeric {

// What a count becomes: z = clip((ln(1 + count per 10,000) - mean) / sd, -10, 10) - shift, per kept gene. A row without
// counts is a row of zeros before this.
struct CountScaling {
  std::vector<std::int64_t> genes;  // columns of the counts, ascending
  std::vector<double> mean, sd;     // of the logarithms, sd with divisor n - 1; 1 where it is 0
  std::vector<double> shift;        // mean after clipping
};

struct CountComponents {
  CountScaling scaling;
  std::int64_t n_components = 0;
  std::vector<double> singular_values;  // descending; 0 beyond the rank
  std::vector<double>
      loadings;  // n_components x genes, orthonormal rows, the largest entry of each positive; 0 beyond the rank
  std::vector<float> scores;  // cells x n_components: z times the loadings, that is U S
};

// Of the cells x given genes (ascending columns). From the leading eigenpairs of the smaller Gram matrix, which is held in
// float64 (8 min(cells, genes)^2 bytes) beside the logarithms of the given genes (12 bytes a stored value). The same bytes
// for any number of workers and on every SIMD target. DataError where min(cells, genes) <= n_components.
CountComponents count_components(CsrView counts, std::span<const std::int64_t> genes, std::int64_t n_components);

// Scores of other cells, counts over the same columns: rows x n_components.
std::vector<float> project_counts(const CountComponents& components, CsrView counts);

}  // namespace scvet::numeric
