// Counts to logarithms of counts per 10,000: ln(1 + x / (s / 1e4)), s the sum of the cell's counts over all genes.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "scvet/base/csr_view.h"

namespace scvet::numeric {

inline constexpr double kCountsPerCell = 1e4;

// Of every row. DataError where a value is negative or not finite.
std::vector<double> row_sums(CsrView counts);

// The values of one row after another. Counts repeat within a row, so most logarithms are only looked up.
class RowLogarithms {
 public:
  // The row that `at` speaks of from now on; a row without counts has no values to ask for.
  void start(double row_sum);
  double at(float count);  // correctly rounded logarithms: the same bytes on every processor

 private:
  std::array<double, 64> known_ = {};  // of small whole counts; negative: not yet
  double per_ = 1;
};

// One a stored value, in the order of the matrix; float32.
std::vector<float> log_normalise(CsrView counts);

}  // namespace scvet::numeric
