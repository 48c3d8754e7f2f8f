// Local regression on one predictor.
#pragma once

#include <span>
#include <vector>

namespace scvet::numeric {

// The fit at every x: degree 2, tricube weights over the floor(span n) nearest points, evaluated at the vertices of a
// k-d tree and blended by cubic Hermite polynomials, as Cleveland and Grosse's dloess does by default (1991,
// doi:10.1007/BF01890836), and with it R's loess and scikit-misc. Symmetric errors are assumed (one pass).
// DataError where fewer than 3 points are near, or where the nearest span n points of a vertex have all the same x.
// x and y finite and of one length (InternalError).
std::vector<double> loess(std::span<const double> x, std::span<const double> y, double span);

}  // namespace scvet::numeric
