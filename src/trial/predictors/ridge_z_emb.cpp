// 2 x 2 of {x_unit_delta, z_emb} x {ridge, network}: ridge on the representation.
#include "residual_fits.h"
#include "scvet/trial/predictor.h"

namespace scvet::trial {
namespace {

std::vector<double> predict(const PredictorInput& input, const FeatureMatrix&, std::uint32_t) {
  return residual_ridge(input, input.z);
}

}  // namespace

extern const PredictorRecord ridge_z_emb_predictor = {
    .name = "RIDGE_Z_EMB",
    .label = "Ridge on the representation",
    .matched =
        "One of four: the features of MODEL with the regressor of BASELINE. Against BASELINE it compares features at equal regressors.",
    .in_cascade = false,
    .seeded = false,
    .applies = nullptr,
    .features = nullptr,
    .predict = predict,
};

}  // namespace scvet::trial
