// (Xc'Xc + alpha I) w = Xc'yc, the matrix of the set of rows built once for all penalties.
#include <algorithm>

#include "dense_products.h"
#include "ridge_forms.h"
#include "scvet/base/parallel.h"

namespace scvet::numeric {
namespace {

constexpr std::int64_t kRowsATask = 64;

class Primal final : public RidgeForm {
 public:
  Primal(MatrixView<const double> x, const DenseKernel& kernel)
      : x_(x), kernel_(kernel), factor_(x.cols, kernel), products_(x.cols * x.cols) {}

  void take(const Rows& rows, std::span<const double> y) override {
    const CentredTarget target = centre_target(rows, y);
    y_mean_ = target.mean;
    means_ = column_means(x_, rows);
    symmetric_products([&](const PanelRequest& request) { fill(rows, request); }, x_.cols, x_.cols, std::ssize(rows),
                       {products_.data(), x_.cols, x_.cols}, kernel_);
    right_side_.assign(means_.size(), 0.0);
    for (std::size_t at = 0; at < rows.size(); ++at) {
      const double* const values = x_.row(rows[at]);
      for (std::size_t col = 0; col < means_.size(); ++col)
        right_side_[col] += (values[col] - means_[col]) * target.values[at];
    }
  }

  bool fit(double alpha) override {
    for (std::int64_t row = 0; row < x_.cols; ++row) {
      std::copy_n(products_.data() + row * x_.cols + row, x_.cols - row, factor_.row(row) + row);
      factor_.row(row)[row] += alpha;
    }
    if (!factor_.factorise()) return false;
    weights_ = right_side_;
    factor_.solve(weights_);
    double product = 0;
    for (std::size_t col = 0; col < weights_.size(); ++col) product += means_[col] * weights_[col];
    intercept_ = y_mean_ - product;
    return true;
  }

  std::vector<double> predict(const Rows& rows) const override {
    std::vector<double> predictions(rows.size());
    parallel_for((std::ssize(rows) + kRowsATask - 1) / kRowsATask, [&](std::int64_t task, int) {
      const std::int64_t first = task * kRowsATask, end = std::min(first + kRowsATask, std::ssize(rows));
      for (std::int64_t at = first; at < end; ++at) {
        const double* const values = x_.row(rows[static_cast<std::size_t>(at)]);
        double sum = 0;
        for (std::size_t col = 0; col < weights_.size(); ++col) sum += values[col] * weights_[col];
        predictions[static_cast<std::size_t>(at)] = sum + intercept_;
      }
    });
    return predictions;
  }

  std::vector<double> weights() const override { return weights_; }
  double intercept() const override { return intercept_; }

 private:
  // f(k, column) = x[rows[k]][column] - mean[column]
  void fill(const Rows& rows, const PanelRequest& request) const {
    for (std::int64_t block = 0; block < kProductTile; block += request.cols) {
      double* const panel = request.panel + block * request.n_k;
      const std::int64_t first = request.first_output + block;
      const std::int64_t present = std::clamp<std::int64_t>(x_.cols - first, 0, request.cols);
      for (std::int64_t k = 0; k < request.n_k; ++k) {
        const double* const values = x_.row(rows[static_cast<std::size_t>(request.first_k + k)]) + first;
        double* const to = panel + k * request.cols;
        for (std::int64_t at = 0; at < present; ++at)
          to[at] = values[at] - means_[static_cast<std::size_t>(first + at)];
        std::fill(to + present, to + request.cols, 0.0);
      }
    }
  }

  MatrixView<const double> x_;
  const DenseKernel& kernel_;
  Cholesky factor_;
  AlignedBuffer<double> products_;
  std::vector<double> means_, right_side_, weights_;
  double y_mean_ = 0, intercept_ = 0;
};

}  // namespace

std::unique_ptr<RidgeForm> primal_form(MatrixView<const double> x, const DenseKernel& kernel) {
  return std::make_unique<Primal>(x, kernel);
}

}  // namespace scvet::numeric
