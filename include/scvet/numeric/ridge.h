// Ridge regression with an unpenalised intercept, no standardisation, and the penalty chosen by cross-validation over
// given folds. The same bytes for any number of workers and on every SIMD target: docs/trial-numerics.md.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "scvet/base/matrix_view.h"

namespace scvet::numeric {

struct RidgeFit {
  double alpha = 0;
  std::vector<double> cv_scores;  // one an alpha: mean over the folds of R^2 on the held-out fold
  std::vector<double> weights;    // one a column of x
  double intercept = 0;
  std::vector<double> predictions;  // every row
};

// x and y: all rows; fold: -1 for rows that are not learned from (their y is never read), else 0.. The best mean score
// wins, the smaller alpha on ties (alphas ascend); then all rows with a fold are fitted again. More columns than rows to
// learn from: the dual form, in every fold. Every fold needs a row, and there are at least two (DataError); a fold whose y
// is constant has no R^2 (DataError, reason ss_tot_zero); a matrix that cannot be factorised: DataError, reason
// not_positive_definite.
RidgeFit ridge_cv(MatrixView<const double> x, std::span<const double> y, std::span<const std::int32_t> fold,
                  std::span<const double> alphas);

// The products of the rows of x, which several fits of the dual form on the same x and folds can share. Keeps views of
// both; takes 8 bytes for each pair of a row and a row that is learned from.
class RidgeGram {
 public:
  RidgeGram(MatrixView<const double> x, std::span<const std::int32_t> fold);
  ~RidgeGram();
  RidgeGram(RidgeGram&&) noexcept;

  struct Data;
  const Data& data() const { return *data_; }

 private:
  std::unique_ptr<Data> data_;
};

// As above with the dual form, whatever the shape.
RidgeFit ridge_cv(const RidgeGram& gram, std::span<const double> y, std::span<const double> alphas);

}  // namespace scvet::numeric
