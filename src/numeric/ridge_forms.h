// The two forms of ridge, fitted on a set of rows: what both offer to the cross-validation of ridge.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cholesky.h"
#include "scvet/base/aligned_buffer.h"
#include "scvet/base/matrix_view.h"
#include "scvet/numeric/ridge.h"

namespace scvet::numeric {

using Rows = std::vector<std::int64_t>;

class RidgeForm {
 public:
  virtual ~RidgeForm() = default;
  // Takes the rows to learn from, ascending; then fit() may be called for several penalties.
  virtual void take(const Rows& rows, std::span<const double> y) = 0;
  // False where the matrix cannot be factorised.
  virtual bool fit(double alpha) = 0;
  // Of the last fit, for the given rows.
  virtual std::vector<double> predict(const Rows& rows) const = 0;
  virtual std::vector<double> weights() const = 0;
  virtual double intercept() const = 0;
};

struct RidgeGram::Data {
  MatrixView<const double> x;
  std::span<const std::int32_t> fold;
  Rows order;                       // train rows first, both parts ascending
  std::vector<std::int64_t> place;  // of each row in `order`
  std::int64_t n_train = 0;
  AlignedBuffer<double> products;  // n_train x rows, in that order
  MatrixView<const double> view() const { return {products.data(), n_train, x.rows, x.rows}; }
};

std::unique_ptr<RidgeForm> primal_form(MatrixView<const double> x, const DenseKernel& kernel);
std::unique_ptr<RidgeForm> dual_form(const RidgeGram::Data& gram, const DenseKernel& kernel);

// Mean of y over rows, and y minus it.
struct CentredTarget {
  double mean = 0;
  std::vector<double> values;
};
CentredTarget centre_target(const Rows& rows, std::span<const double> y);
// Mean of each column of x over rows.
std::vector<double> column_means(MatrixView<const double> x, const Rows& rows);

std::unique_ptr<RidgeGram::Data> build_gram(MatrixView<const double> x, std::span<const std::int32_t> fold,
                                            const DenseKernel& kernel);

RidgeFit cross_validate(RidgeForm& form, std::span<const double> y, std::span<const std::int32_t> fold,
                        std::span<const double> alphas);

// ridge_cv of numeric/ridge.h with a given kernel.
RidgeFit ridge_cv_with(const DenseKernel& kernel, MatrixView<const double> x, std::span<const double> y,
                       std::span<const std::int32_t> fold, std::span<const double> alphas);

}  // namespace scvet::numeric
