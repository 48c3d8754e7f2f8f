// Least squares on a design whose columns may depend on each other.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "scvet/base/matrix_view.h"

namespace scvet::numeric {

// Householder QR with column pivoting (Businger and Golub 1965, doi:10.1007/BF01436084).
class PivotedQr {
 public:
  // A pivot counts when it is above tolerance * |largest pivot|.
  PivotedQr(MatrixView<const double> design, double tolerance);
  ~PivotedQr();
  PivotedQr(PivotedQr&&) noexcept;

  std::int64_t rank() const;
  // Of each column of y (rows as in the design) the sum of squares that the design leaves over.
  std::vector<double> residual_squares(MatrixView<const double> y) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace scvet::numeric
