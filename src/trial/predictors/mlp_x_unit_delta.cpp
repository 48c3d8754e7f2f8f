// 2 x 2 of {x_unit_delta, z_emb} x {ridge, network}: the network on x_unit_delta.
#include "residual_fits.h"
#include "scvet/trial/predictor.h"

namespace scvet::trial {
namespace {

std::vector<double> predict(const PredictorInput& input, const FeatureMatrix&, std::uint32_t seed) {
  return residual_network(input, input.data.x_unit_delta, seed);
}

}  // namespace

extern const PredictorRecord mlp_x_unit_delta_predictor = {
    .name = "MLP_X_UNIT_DELTA",
    .label = "Network on expression",
    .matched =
        "One of four: the features of BASELINE with the network and seeds of MODEL. MODEL minus this is the representation at equal regressors.",
    .in_cascade = false,
    .seeded = true,
    .applies = nullptr,
    .features = nullptr,
    .predict = predict,
};

}  // namespace scvet::trial
