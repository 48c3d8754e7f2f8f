// Principal components without a linear algebra library: the same bytes for any number of workers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scvet/base/matrix_view.h"

namespace scvet::numeric {

struct PrincipalComponents {
  std::int64_t n_components = 0;
  std::vector<double> variances;  // along each component over the rows fitted (divided by their number), descending
  std::vector<double> axes;    // n_components x columns of x, orthonormal rows; of each the largest entry is positive
  std::vector<double> scores;  // every row of x, centred on the mean of the rows fitted, x n_components
};

// Components of the rows of x with fit != 0. Fewer than asked for where these rows do not span as many. Up to kExactSize
// rows or columns (the smaller number) from all eigenvectors of the Gram matrix; beyond, from a block of n + 8 vectors
// and six rounds of subspace iteration, which is exact for components that stand out and nearly so for the last ones.
inline constexpr std::int64_t kExactSize = 512;
PrincipalComponents principal_components(MatrixView<const double> x, std::span<const std::uint8_t> fit,
                                         std::int64_t n_components);

// Eigenvalues of a symmetric matrix, descending, and eigenvectors (rows of the result) by Householder's
// tridiagonalisation and implicit QL (Bowdler et al. 1968, doi:10.1007/BF02162161). O(n^3), one thread.
struct Eigen {
  std::vector<double> values, vectors;
};
Eigen symmetric_eigen(MatrixView<const double> matrix);

}  // namespace scvet::numeric
