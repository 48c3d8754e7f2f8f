// The representation that the encoder gives before any training, where one was given.
#include "residual_fits.h"
#include "scvet/trial/predictor.h"

namespace scvet::trial {
namespace {

bool applies(const PredictorInput& input) { return input.untrained.rows > 0; }

std::vector<double> predict(const PredictorInput& input, const FeatureMatrix&, std::uint32_t seed) {
  return residual_network(input, input.untrained, seed);
}

}  // namespace

extern const PredictorRecord untrained_predictor = {
    .name = "UNTRAINED",
    .label = "Untrained encoder",
    .matched =
        "MODEL with the same encoder at random weights: what its architecture and preprocessing give without pretraining.",
    .in_cascade = false,
    .seeded = true,
    .applies = applies,
    .features = nullptr,
    .predict = predict,
};

}  // namespace scvet::trial
