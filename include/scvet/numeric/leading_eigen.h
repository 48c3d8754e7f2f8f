// A few eigenpairs of a large symmetric matrix that is only known by its products with vectors.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "scvet/numeric/principal_components.h"

namespace scvet::numeric {

enum class Leading { kLargest, kLargestMagnitude };

// y = A x for a symmetric A; both of length n. Called from one thread at a time; it may use parallel_for itself, as long
// as y does not depend on the number of workers.
using SymmetricProduct = std::function<void(std::span<const double> x, std::span<double> y)>;

// min(count, n) pairs, those of the largest values first (by magnitude where asked; the positive one of +v, -v first).
// Vectors (rows of the result) are orthonormal; of each the largest entry (the first of equal ones) is positive. Every
// copy of a multiple eigenvalue is found, which a Lanczos run alone does not promise: the space found is projected out
// until nothing leading is left. Which vectors span the space of a multiple eigenvalue is arbitrary, but always the same.
// Residuals |A v - value v| are below 1e-11 of the largest magnitude. Implicitly restarted Lanczos (Sorensen 1992,
// doi:10.1137/0613025); small matrices, and those of which a third or more of the pairs are asked, by the dense solver.
Eigen leading_eigen(std::int64_t n, const SymmetricProduct& product, std::int64_t count, Leading which);

// The same of a matrix that is there as a whole; it must be symmetric in all its entries.
Eigen leading_eigen(MatrixView<const double> matrix, std::int64_t count, Leading which);

}  // namespace scvet::numeric
