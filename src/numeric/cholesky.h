// Cholesky factor of a symmetric positive definite matrix, A = U'U, blocked so that every element still is a_ij minus
// u_ki * u_kj for k ascending, one at a time, then a root or a division: the bytes of the plain triple loop.
#pragma once

#include <cstdint>
#include <span>

#include "dense_kernel.h"
#include "scvet/base/aligned_buffer.h"

namespace scvet::numeric {

class Cholesky {
 public:
  Cholesky(std::int64_t n, const DenseKernel& kernel);

  std::int64_t size() const { return n_; }
  // Row of the upper triangle, to be filled from column `row` on before each factorise(); what lies before is scratch.
  double* row(std::int64_t at) { return upper_.data() + at * stride_; }
  const double* row(std::int64_t at) const { return upper_.data() + at * stride_; }

  // In place. False where the matrix is not positive definite in this arithmetic.
  bool factorise();
  // b becomes the solution, k ascending in both substitutions.
  void solve(std::span<double> b) const;

 private:
  struct Panel;
  void solve_columns(Panel& panel, std::int64_t n_rows, std::int64_t column) const;
  bool factorise_diagonal(Panel& panel);
  void update_rest(const Panel& panel);

  std::int64_t n_, padded_, stride_;
  const DenseKernel& kernel_;
  AlignedBuffer<double> upper_;
};

}  // namespace scvet::numeric
