// The representation under trial (specification 9).
#include "residual_fits.h"
#include "scvet/trial/predictor.h"

namespace scvet::trial {
namespace {

std::vector<double> predict(const PredictorInput& input, const FeatureMatrix&, std::uint32_t seed) {
  return residual_network(input, input.z, seed);
}

}  // namespace

extern const PredictorRecord model_predictor = {
    .name = "MODEL",
    .label = "Representation",
    .matched =
        "The anchor plus the network of GAUSSIAN and SHUFFLE, with the same seeds; only its input is the representation.",
    .in_cascade = true,
    .seeded = true,
    .applies = nullptr,
    .features = nullptr,
    .predict = predict,
};

}  // namespace scvet::trial
