#include "scvet/numeric/pivoted_qr.h"

#include <Eigen/QR>
#include <algorithm>

#include "scvet/base/error.h"
#include "scvet/base/parallel.h"

namespace scvet::numeric {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Strided = Eigen::Map<const RowMajor, 0, Eigen::OuterStride<>>;

Strided as_eigen(MatrixView<const double> matrix, std::int64_t first_col, std::int64_t n_cols) {
  return {matrix.data + first_col, matrix.rows, n_cols, Eigen::OuterStride<>(matrix.stride)};
}

}  // namespace

struct PivotedQr::State {
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr;
  Eigen::Index rank = 0;
};

PivotedQr::PivotedQr(MatrixView<const double> design, double tolerance) : state_(std::make_unique<State>()) {
  state_->qr.setThreshold(tolerance);
  state_->qr.compute(as_eigen(design, 0, design.cols));
  state_->rank = state_->qr.rank();
}
PivotedQr::~PivotedQr() = default;
PivotedQr::PivotedQr(PivotedQr&&) noexcept = default;

std::int64_t PivotedQr::rank() const { return state_->rank; }

std::vector<double> PivotedQr::residual_squares(MatrixView<const double> y) const {
  constexpr std::int64_t kColumns = 64;
  if (y.rows != state_->qr.rows()) throw InternalError("PivotedQr: y has other rows than the design");
  std::vector<double> squares(static_cast<std::size_t>(y.cols));
  parallel_for((y.cols + kColumns - 1) / kColumns, [&](std::int64_t task, int) {
    const std::int64_t first = task * kColumns, n_cols = std::min(kColumns, y.cols - first);
    Eigen::MatrixXd turned = as_eigen(y, first, n_cols);
    turned.applyOnTheLeft(state_->qr.householderQ().setLength(state_->qr.nonzeroPivots()).adjoint());
    for (std::int64_t col = 0; col < n_cols; ++col) {
      double sum = 0;
      for (Eigen::Index row = state_->rank; row < turned.rows(); ++row) sum += turned(row, col) * turned(row, col);
      squares[static_cast<std::size_t>(first + col)] = sum;
    }
  });
  return squares;
}

}  // namespace scvet::numeric
