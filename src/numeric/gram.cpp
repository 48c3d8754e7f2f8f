#include "scvet/numeric/gram.h"

#include <algorithm>
#include <limits>

#include "dense_products.h"

namespace scvet::numeric {

std::vector<double> column_means(MatrixView<const float> x) {
  std::vector<double> means(static_cast<std::size_t>(x.cols), 0.0);
  for (std::int64_t row = 0; row < x.rows; ++row)
    for (std::int64_t col = 0; col < x.cols; ++col) means[static_cast<std::size_t>(col)] += double{x(row, col)};
  for (double& mean : means)
    mean = x.rows > 0 ? mean / static_cast<double>(x.rows) : std::numeric_limits<double>::quiet_NaN();
  return means;
}

std::vector<double> gram(MatrixView<const float> x, std::span<const double> centre) {
  std::vector<double> products(static_cast<std::size_t>(x.cols * x.cols), 0.0);
  const MatrixView<double> all(products.data(), x.cols, x.cols);
  const std::vector<double> zeros(centre.empty() ? static_cast<std::size_t>(x.cols) : 0, 0.0);
  const double* const shift = centre.empty() ? zeros.data() : centre.data();
  const auto fill = [&](const PanelRequest& request) {
    for (std::int64_t block = 0; block < kProductTile; block += request.cols) {
      double* const panel = request.panel + block * request.n_k;
      const std::int64_t first = request.first_output + block;
      const std::int64_t present = std::clamp<std::int64_t>(x.cols - first, 0, request.cols);
      for (std::int64_t k = 0; k < request.n_k; ++k) {
        const float* const values = x.row(request.first_k + k) + first;
        double* const to = panel + k * request.cols;
        for (std::int64_t at = 0; at < present; ++at) to[at] = double{values[at]} - shift[first + at];
        std::fill(to + present, to + request.cols, 0.0);
      }
    }
  };
  symmetric_products(fill, x.cols, x.cols, x.rows, all, dense_kernel(simd_target()));
  for (std::int64_t row = 0; row < x.cols; ++row)
    for (std::int64_t col = 0; col < row; ++col) all(row, col) = all(col, row);
  return products;
}

}  // namespace scvet::numeric
