// Corrections for many tests.
#pragma once

#include <span>
#include <vector>

namespace scvet::numeric {

// Benjamini-Hochberg q values (doi:10.1111/j.2517-6161.1995.tb02031.x); NaN p values are left out and give NaN.
std::vector<double> benjamini_hochberg(std::span<const double> p);

}  // namespace scvet::numeric
