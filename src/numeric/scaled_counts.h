// Standardised logarithms of counts of chosen genes, z = d - offset: d is stored where there is a count and is 0
// elsewhere, and every column has one offset.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scvet/base/csr_view.h"
#include "scvet/numeric/principal_components_counts.h"

namespace scvet::numeric {

struct ScaledCounts {
  std::int64_t n_rows = 0, n_cols = 0;
  std::vector<std::int64_t> indptr;    // n_rows + 1
  std::vector<std::uint32_t> columns;  // ascending within a row
  std::vector<double> values;          // d
  std::vector<double> offset;          // one a column

  std::size_t begin_of(std::int64_t row) const {
    return static_cast<std::size_t>(indptr[static_cast<std::size_t>(row)]);
  }
  std::size_t end_of(std::int64_t row) const { return begin_of(row + 1); }
};

// By a scaling that is known already.
ScaledCounts scale_counts(CsrView counts, const CountScaling& scaling);
// By the cells' own; fills all of `scaling` but its genes.
ScaledCounts fit_scaling(CsrView counts, CountScaling& scaling);

}  // namespace scvet::numeric
