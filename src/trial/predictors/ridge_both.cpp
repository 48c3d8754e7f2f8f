// Ridge on x_unit_delta and the representation side by side.
#include "residual_fits.h"
#include "scvet/trial/predictor.h"

namespace scvet::trial {
namespace {

std::vector<double> predict(const PredictorInput& input, const FeatureMatrix&, std::uint32_t) {
  const MatrixView<const double> x = input.data.x_unit_delta;
  std::vector<double> both;
  both.reserve(static_cast<std::size_t>(x.rows * (x.cols + input.z.cols)));
  for (std::int64_t row = 0; row < x.rows; ++row) {
    both.insert(both.end(), x.row(row), x.row(row) + x.cols);
    both.insert(both.end(), input.z.row(row), input.z.row(row) + input.z.cols);
  }
  return residual_ridge(input, {both.data(), x.rows, x.cols + input.z.cols});
}

}  // namespace

extern const PredictorRecord ridge_both_predictor = {
    .name = "RIDGE_BOTH",
    .label = "Ridge on both",
    .matched =
        "RIDGE_X_UNIT_DELTA with the representation added: the difference of the two is what the representation adds to expression.",
    .in_cascade = false,
    .seeded = false,
    .applies = nullptr,
    .features = nullptr,
    .predict = predict,
};

}  // namespace scvet::trial
