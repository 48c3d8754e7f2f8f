// 2 x 2 of {x_unit_delta, z_emb} x {ridge, network}: ridge on x_unit_delta.
#include "residual_fits.h"
#include "scvet/trial/predictor.h"

namespace scvet::trial {
namespace {

std::vector<double> predict(const PredictorInput& input, const FeatureMatrix&, std::uint32_t) {
  // The most expensive fit of a trial: not done again where BASELINE is it.
  if (input.protocol.baseline == BaselineForm::kRidgeResidual) return input.fixed.baseline;
  return residual_ridge(input, input.data.x_unit_delta);
}

}  // namespace

extern const PredictorRecord ridge_x_unit_delta_predictor = {
    .name = "RIDGE_X_UNIT_DELTA",
    .label = "Ridge on expression",
    .matched =
        "One of four: the features of BASELINE with the regressor of RIDGE_Z_EMB. Equal to BASELINE in its default form.",
    .in_cascade = false,
    .seeded = false,
    .applies = nullptr,
    .features = nullptr,
    .predict = predict,
};

}  // namespace scvet::trial
