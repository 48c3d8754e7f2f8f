#include "scvet/numeric/ridge.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "ridge_forms.h"
#include "scvet/base/error.h"
#include "scvet/numeric/regression.h"

namespace scvet::numeric {
namespace {

std::int64_t count_train(std::span<const std::int32_t> fold) {
  return std::count_if(fold.begin(), fold.end(), [](std::int32_t at) { return at >= 0; });
}

struct Folds {
  Rows train;
  std::vector<Rows> held_out, rest;
};

Folds split_folds(std::span<const std::int32_t> fold) {
  Folds folds;
  const std::int32_t n_folds = fold.empty() ? 0 : *std::max_element(fold.begin(), fold.end()) + 1;
  if (n_folds < 2)
    throw DataError(fmt::format("ridge needs at least two folds of rows to learn from, found {}", n_folds));
  folds.held_out.resize(static_cast<std::size_t>(n_folds));
  folds.rest.resize(static_cast<std::size_t>(n_folds));
  for (std::int64_t row = 0; row < std::ssize(fold); ++row) {
    const std::int32_t own = fold[static_cast<std::size_t>(row)];
    if (own < 0) continue;
    folds.train.push_back(row);
    for (std::int32_t at = 0; at < n_folds; ++at)
      (at == own ? folds.held_out : folds.rest)[static_cast<std::size_t>(at)].push_back(row);
  }
  for (std::size_t at = 0; at < folds.held_out.size(); ++at)
    if (folds.held_out[at].empty())
      throw DataError(fmt::format("ridge: fold {} has no row: number folds without gaps", at));
  return folds;
}

void require_fit(RidgeForm& form, double alpha) {
  if (!form.fit(alpha))
    throw DataError(fmt::format("ridge with alpha {} cannot be solved: the matrix is not positive definite in double "
                                "precision; leave out constant or copied columns, or use larger penalties "
                                "(reason=not_positive_definite)",
                                alpha),
                    {.reason = "not_positive_definite"});
}

std::vector<double> values_at(std::span<const double> y, const Rows& rows) {
  std::vector<double> values;
  values.reserve(rows.size());
  for (const std::int64_t row : rows) values.push_back(y[static_cast<std::size_t>(row)]);
  return values;
}

}  // namespace

CentredTarget centre_target(const Rows& rows, std::span<const double> y) {
  CentredTarget target;
  target.values = values_at(y, rows);
  for (const double value : target.values) target.mean += value;
  target.mean /= static_cast<double>(rows.size());
  for (double& value : target.values) value -= target.mean;
  return target;
}

std::vector<double> column_means(MatrixView<const double> x, const Rows& rows) {
  std::vector<double> means(static_cast<std::size_t>(x.cols));
  for (const std::int64_t row : rows) {
    const double* const values = x.row(row);
    for (std::size_t col = 0; col < means.size(); ++col) means[col] += values[col];
  }
  for (double& mean : means) mean /= static_cast<double>(rows.size());
  return means;
}

RidgeFit cross_validate(RidgeForm& form, std::span<const double> y, std::span<const std::int32_t> fold,
                        std::span<const double> alphas) {
  if (y.size() != fold.size() || alphas.empty())
    throw InternalError("ridge: expected a y and a fold a row, and penalties");
  const Folds folds = split_folds(fold);
  std::vector<double> sums(alphas.size());
  for (std::size_t at = 0; at < folds.held_out.size(); ++at) {
    form.take(folds.rest[at], y);
    const std::vector<double> truth = values_at(y, folds.held_out[at]);
    for (std::size_t penalty = 0; penalty < alphas.size(); ++penalty) {
      require_fit(form, alphas[penalty]);
      sums[penalty] += r2(truth, form.predict(folds.held_out[at]));
    }
  }
  RidgeFit best;
  for (const double sum : sums) best.cv_scores.push_back(sum / static_cast<double>(folds.held_out.size()));
  // The first of equal maxima: the smaller penalty.
  const auto chosen = std::max_element(best.cv_scores.begin(), best.cv_scores.end()) - best.cv_scores.begin();
  best.alpha = alphas[static_cast<std::size_t>(chosen)];
  form.take(folds.train, y);
  require_fit(form, best.alpha);
  best.weights = form.weights();
  best.intercept = form.intercept();
  Rows all(fold.size());
  std::iota(all.begin(), all.end(), std::int64_t{0});
  best.predictions = form.predict(all);
  return best;
}

RidgeFit ridge_cv_with(const DenseKernel& kernel, MatrixView<const double> x, std::span<const double> y,
                       std::span<const std::int32_t> fold, std::span<const double> alphas) {
  if (x.rows != std::ssize(fold)) throw InternalError("ridge: expected one fold number a row");
  if (x.cols <= count_train(fold)) return cross_validate(*primal_form(x, kernel), y, fold, alphas);
  const std::unique_ptr<RidgeGram::Data> gram = build_gram(x, fold, kernel);
  return cross_validate(*dual_form(*gram, kernel), y, fold, alphas);
}

RidgeFit ridge_cv(MatrixView<const double> x, std::span<const double> y, std::span<const std::int32_t> fold,
                  std::span<const double> alphas) {
  return ridge_cv_with(dense_kernel(simd_target()), x, y, fold, alphas);
}

RidgeGram::RidgeGram(MatrixView<const double> x, std::span<const std::int32_t> fold)
    : data_(build_gram(x, fold, dense_kernel(simd_target()))) {}
RidgeGram::~RidgeGram() = default;
RidgeGram::RidgeGram(RidgeGram&&) noexcept = default;

RidgeFit ridge_cv(const RidgeGram& gram, std::span<const double> y, std::span<const double> alphas) {
  return cross_validate(*dual_form(gram.data(), dense_kernel(simd_target())), y, gram.data().fold, alphas);
}

}  // namespace scvet::numeric
