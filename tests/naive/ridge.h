// Ridge as the trial's contract writes it, in plain loops: what the fast code must equal to the last bit.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "scvet/base/matrix_view.h"
#include "scvet/numeric/regression.h"
#include "scvet/numeric/ridge.h"

namespace scvet::naive {

using Rows = std::vector<std::int64_t>;
using Square = std::vector<std::vector<double>>;

// Solves a x = b; a is overwritten by its factor (lower triangle).
inline std::vector<double> solve(Square a, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t col = 0; col < n; ++col) {
    for (std::size_t k = 0; k < col; ++k) a[col][col] -= a[col][k] * a[col][k];
    a[col][col] = std::sqrt(a[col][col]);
    for (std::size_t row = col + 1; row < n; ++row) {
      for (std::size_t k = 0; k < col; ++k) a[row][col] -= a[row][k] * a[col][k];
      a[row][col] /= a[col][col];
    }
  }
  for (std::size_t row = 0; row < n; ++row) {
    for (std::size_t k = 0; k < row; ++k) b[row] -= a[row][k] * b[k];
    b[row] /= a[row][row];
  }
  for (std::size_t row = n; row-- > 0;) {
    for (std::size_t k = row + 1; k < n; ++k) b[row] -= a[k][row] * b[k];
    b[row] /= a[row][row];
  }
  return b;
}

struct Fit {
  std::vector<double> weights, predictions;
  double intercept = 0;
};

inline Fit primal(MatrixView<const double> x, std::span<const double> y, const Rows& fit, double alpha) {
  const std::size_t p = static_cast<std::size_t>(x.cols);
  const double n = static_cast<double>(fit.size());
  std::vector<double> middle(p), v(p);
  double y_mean = 0;
  for (const std::int64_t row : fit) y_mean += y[static_cast<std::size_t>(row)];
  y_mean /= n;
  for (std::size_t col = 0; col < p; ++col) {
    for (const std::int64_t row : fit) middle[col] += x.row(row)[col];
    middle[col] /= n;
  }
  Square a(p, std::vector<double>(p));
  for (std::size_t left = 0; left < p; ++left) {
    for (std::size_t right = 0; right < p; ++right)
      for (const std::int64_t row : fit)
        a[left][right] += (x.row(row)[left] - middle[left]) * (x.row(row)[right] - middle[right]);
    for (const std::int64_t row : fit)
      v[left] += (x.row(row)[left] - middle[left]) * (y[static_cast<std::size_t>(row)] - y_mean);
    a[left][left] += alpha;
  }
  Fit result;
  result.weights = solve(std::move(a), std::move(v));
  double product = 0;
  for (std::size_t col = 0; col < p; ++col) product += middle[col] * result.weights[col];
  result.intercept = y_mean - product;
  for (std::int64_t row = 0; row < x.rows; ++row) {
    double sum = 0;
    for (std::size_t col = 0; col < p; ++col) sum += x.row(row)[col] * result.weights[col];
    result.predictions.push_back(sum + result.intercept);
  }
  return result;
}

inline Square gram(MatrixView<const double> x) {
  const std::size_t n = static_cast<std::size_t>(x.rows);
  Square g(n, std::vector<double>(n));
  for (std::int64_t left = 0; left < x.rows; ++left)
    for (std::int64_t right = 0; right < x.rows; ++right)
      for (std::int64_t col = 0; col < x.cols; ++col)
        g[static_cast<std::size_t>(left)][static_cast<std::size_t>(right)] += x.row(left)[col] * x.row(right)[col];
  return g;
}

inline Fit dual(MatrixView<const double> x, const Square& g, std::span<const double> y, const Rows& fit, double alpha) {
  const std::size_t n_rows = g.size(), n_fit = fit.size();
  const double n = static_cast<double>(n_fit);
  std::vector<double> middle(n_rows), yc(n_fit);
  double y_mean = 0, all = 0;
  for (const std::int64_t row : fit) y_mean += y[static_cast<std::size_t>(row)];
  y_mean /= n;
  for (std::size_t row = 0; row < n_rows; ++row) {
    for (const std::int64_t j : fit) middle[row] += g[row][static_cast<std::size_t>(j)];
    middle[row] /= n;
  }
  for (const std::int64_t row : fit) all += middle[static_cast<std::size_t>(row)];
  all /= n;
  const auto k = [&](std::size_t t, std::int64_t i) {
    const std::size_t at = static_cast<std::size_t>(i);
    return ((g[t][at] - middle[t]) - middle[at]) + all;
  };
  Square a(n_fit, std::vector<double>(n_fit));
  for (std::size_t row = 0; row < n_fit; ++row) {
    for (std::size_t col = 0; col < n_fit; ++col) a[row][col] = k(static_cast<std::size_t>(fit[row]), fit[col]);
    a[row][row] += alpha;
    yc[row] = y[static_cast<std::size_t>(fit[row])] - y_mean;
  }
  const std::vector<double> c = solve(std::move(a), std::move(yc));
  Fit result;
  for (std::size_t t = 0; t < n_rows; ++t) {
    double sum = 0;
    for (std::size_t i = 0; i < n_fit; ++i) sum += k(t, fit[i]) * c[i];
    result.predictions.push_back(sum + y_mean);
  }
  double product = 0;
  for (std::int64_t col = 0; col < x.cols; ++col) {
    double mean = 0, weight = 0;
    for (const std::int64_t row : fit) mean += x.row(row)[col];
    mean /= n;
    for (std::size_t i = 0; i < n_fit; ++i) weight += c[i] * (x.row(fit[i])[col] - mean);
    result.weights.push_back(weight);
    product += mean * weight;
  }
  result.intercept = y_mean - product;
  return result;
}

inline numeric::RidgeFit ridge_cv(MatrixView<const double> x, std::span<const double> y,
                                  std::span<const std::int32_t> fold, std::span<const double> alphas) {
  Rows train;
  int n_folds = 0;
  for (std::size_t row = 0; row < fold.size(); ++row)
    if (fold[row] >= 0) {
      train.push_back(static_cast<std::int64_t>(row));
      n_folds = std::max(n_folds, fold[row] + 1);
    }
  const bool is_dual = x.cols > static_cast<std::int64_t>(train.size());
  const Square g = is_dual ? gram(x) : Square{};
  const auto fit = [&](const Rows& rows, double alpha) {
    return is_dual ? dual(x, g, y, rows, alpha) : primal(x, y, rows, alpha);
  };
  numeric::RidgeFit best;
  for (const double alpha : alphas) {
    double sum = 0;
    for (int held_out = 0; held_out < n_folds; ++held_out) {
      Rows rest;
      for (const std::int64_t row : train)
        if (fold[static_cast<std::size_t>(row)] != held_out) rest.push_back(row);
      const Fit part = fit(rest, alpha);
      std::vector<double> truth, guess;
      for (const std::int64_t row : train)
        if (fold[static_cast<std::size_t>(row)] == held_out) {
          truth.push_back(y[static_cast<std::size_t>(row)]);
          guess.push_back(part.predictions[static_cast<std::size_t>(row)]);
        }
      sum += numeric::r2(truth, guess);
    }
    best.cv_scores.push_back(sum / n_folds);
  }
  std::size_t chosen = 0;
  for (std::size_t at = 1; at < alphas.size(); ++at)
    if (best.cv_scores[at] > best.cv_scores[chosen]) chosen = at;
  best.alpha = alphas[chosen];
  Fit last = fit(train, best.alpha);
  best.weights = std::move(last.weights);
  best.intercept = last.intercept;
  best.predictions = std::move(last.predictions);
  return best;
}

}  // namespace scvet::naive
