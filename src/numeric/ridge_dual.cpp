// (K_SS + alpha I) c = yc with the doubly centred products of rows, which are built once for all sets and penalties.
#include <algorithm>

#include "dense_products.h"
#include "ridge_forms.h"
#include "scvet/base/error.h"
#include "scvet/base/parallel.h"

namespace scvet::numeric {
namespace {

constexpr std::int64_t kOutputsATask = 256;

constexpr std::int64_t kWorthThreads = 2'000'000;  // terms: about a millisecond; waking threads costs some of it

// body(first, end) over ranges of outputs, each a sum of n_terms.
template <class Body>
void for_ranges(std::int64_t n_outputs, std::int64_t n_terms, const Body& body) {
  if (n_outputs * n_terms < kWorthThreads) return body(0, n_outputs);
  parallel_for((n_outputs + kOutputsATask - 1) / kOutputsATask, [&](std::int64_t task, int) {
    body(task * kOutputsATask, std::min((task + 1) * kOutputsATask, n_outputs));
  });
}

class Dual final : public RidgeForm {
 public:
  Dual(const RidgeGram::Data& gram, const DenseKernel& kernel) : gram_(gram), products_(gram.view()), kernel_(kernel) {}

  void take(const Rows& rows, std::span<const double> y) override {
    rows_ = rows;
    set_.clear();
    for (const std::int64_t row : rows) set_.push_back(gram_.place[static_cast<std::size_t>(row)]);
    const CentredTarget target = centre_target(rows, y);
    y_mean_ = target.mean;
    right_side_ = target.values;
    const double n = static_cast<double>(set_.size());
    means_.assign(static_cast<std::size_t>(products_.cols), 0.0);
    for_ranges(products_.cols, std::ssize(set_), [&](std::int64_t first, std::int64_t end) {
      for (const std::int64_t j : set_) {
        const double* const from = products_.row(j);
        for (std::int64_t t = first; t < end; ++t) means_[static_cast<std::size_t>(t)] += from[t];
      }
      for (std::int64_t t = first; t < end; ++t) means_[static_cast<std::size_t>(t)] /= n;
    });
    mean_of_means_ = 0;
    for (const std::int64_t j : set_) mean_of_means_ += means_[static_cast<std::size_t>(j)];
    mean_of_means_ /= n;
    if (!factor_ || factor_->size() != std::ssize(set_)) factor_.emplace(std::ssize(set_), kernel_);
  }

  bool fit(double alpha) override {
    for_ranges(std::ssize(set_), std::ssize(set_) / 2, [&](std::int64_t first, std::int64_t end) {
      for (std::int64_t row = first; row < end; ++row) {
        const std::int64_t i = set_[static_cast<std::size_t>(row)];
        const double* const from = products_.row(i);
        double* const to = factor_->row(row);
        for (std::int64_t col = row; col < std::ssize(set_); ++col)
          to[col] = centred(from, set_[static_cast<std::size_t>(col)], i);
        to[row] += alpha;
      }
    });
    if (!factor_->factorise()) return false;
    coefficients_ = right_side_;
    factor_->solve(coefficients_);
    return true;
  }

  std::vector<double> predict(const Rows& rows) const override {
    std::vector<std::int64_t> places;
    for (const std::int64_t row : rows) places.push_back(gram_.place[static_cast<std::size_t>(row)]);
    std::vector<double> predictions(rows.size());
    for_ranges(std::ssize(rows), std::ssize(set_), [&](std::int64_t first, std::int64_t end) {
      for (std::size_t at = 0; at < set_.size(); ++at) {
        const double* const from = products_.row(set_[at]);
        for (std::int64_t t = first; t < end; ++t)
          predictions[static_cast<std::size_t>(t)] +=
              centred(from, places[static_cast<std::size_t>(t)], set_[at]) * coefficients_[at];
      }
      for (std::int64_t t = first; t < end; ++t) predictions[static_cast<std::size_t>(t)] += y_mean_;
    });
    return predictions;
  }

  std::vector<double> weights() const override {
    const std::vector<double> means = column_means(gram_.x, rows_);
    std::vector<double> weights(means.size());
    for_ranges(gram_.x.cols, std::ssize(rows_), [&](std::int64_t first, std::int64_t end) {
      for (std::size_t at = 0; at < rows_.size(); ++at) {
        const double* const values = gram_.x.row(rows_[at]);
        for (std::int64_t col = first; col < end; ++col)
          weights[static_cast<std::size_t>(col)] +=
              coefficients_[at] * (values[col] - means[static_cast<std::size_t>(col)]);
      }
    });
    return weights;
  }

  double intercept() const override {
    const std::vector<double> means = column_means(gram_.x, rows_), own = weights();
    double product = 0;
    for (std::size_t col = 0; col < own.size(); ++col) product += means[col] * own[col];
    return y_mean_ - product;
  }

 private:
  // K_ti; `from` is row i of the products.
  double centred(const double* from, std::int64_t t, std::int64_t i) const {
    return ((from[t] - means_[static_cast<std::size_t>(t)]) - means_[static_cast<std::size_t>(i)]) + mean_of_means_;
  }

  const RidgeGram::Data& gram_;
  MatrixView<const double> products_;
  const DenseKernel& kernel_;
  std::optional<Cholesky> factor_;
  Rows rows_;                      // learned from
  std::vector<std::int64_t> set_;  // their places among the products
  std::vector<double> means_, right_side_, coefficients_;
  double mean_of_means_ = 0, y_mean_ = 0;
};

// f(k, row) = x[order[row]][k]
void fill_rows(const RidgeGram::Data& data, const PanelRequest& request) {
  for (std::int64_t at = 0; at < kProductTile; ++at) {
    const std::int64_t place = request.first_output + at;
    double* to = request.panel + at / request.cols * request.cols * request.n_k + at % request.cols;
    if (place >= data.x.rows) {
      for (std::int64_t k = 0; k < request.n_k; ++k) to[k * request.cols] = 0;
      continue;
    }
    const double* const values = data.x.row(data.order[static_cast<std::size_t>(place)]) + request.first_k;
    for (std::int64_t k = 0; k < request.n_k; ++k) to[k * request.cols] = values[k];
  }
}

// What lies below the diagonal tiles of the train rows' square.
void mirror(MatrixView<double> products) {
  parallel_for((products.rows + kProductTile - 1) / kProductTile, [&](std::int64_t task, int) {
    const std::int64_t top = task * kProductTile, bottom = std::min(top + kProductTile, products.rows);
    for (std::int64_t left = 0; left < top; left += kProductTile)
      for (std::int64_t row = top; row < bottom; ++row)
        for (std::int64_t col = left; col < left + kProductTile; ++col) products(row, col) = products(col, row);
  });
}

}  // namespace

std::unique_ptr<RidgeForm> dual_form(const RidgeGram::Data& gram, const DenseKernel& kernel) {
  return std::make_unique<Dual>(gram, kernel);
}

std::unique_ptr<RidgeGram::Data> build_gram(MatrixView<const double> x, std::span<const std::int32_t> fold,
                                            const DenseKernel& kernel) {
  if (x.rows != std::ssize(fold)) throw InternalError("ridge: expected one fold number a row");
  auto made = std::make_unique<RidgeGram::Data>();
  RidgeGram::Data& data = *made;
  data.x = x;
  data.fold = fold;
  Rows others;
  for (std::int64_t row = 0; row < x.rows; ++row)
    (fold[static_cast<std::size_t>(row)] >= 0 ? data.order : others).push_back(row);
  data.n_train = std::ssize(data.order);
  data.order.insert(data.order.end(), others.begin(), others.end());
  data.place.resize(data.order.size());
  for (std::int64_t at = 0; at < x.rows; ++at)
    data.place[static_cast<std::size_t>(data.order[static_cast<std::size_t>(at)])] = at;
  data.products.resize(data.n_train * x.rows);
  const MatrixView<double> products(data.products.data(), data.n_train, x.rows);
  symmetric_products([&](const PanelRequest& request) { fill_rows(data, request); }, data.n_train, x.rows, x.cols,
                     products, kernel);
  mirror(products);
  return made;
}

}  // namespace scvet::numeric
