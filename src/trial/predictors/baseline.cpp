// The strong simple rival: ridge on the direction of the change of expression, in the form of the protocol (specification 8).
#include "residual_fits.h"
#include "scvet/trial/predictor.h"

namespace scvet::trial {
namespace {

std::vector<double> predict(const PredictorInput& input, const FeatureMatrix&, std::uint32_t) {
  return fit_baseline(input.data, input.fixed.mag_only, input.protocol).predictions;
}

}  // namespace

extern const PredictorRecord baseline_predictor = {
    .name = "BASELINE",
    .label = "Expression baseline",
    .matched =
        "The rows, folds and penalties of the anchor; sees the expression change itself, no representation. MODEL must beat it.",
    .in_cascade = true,
    .seeded = false,
    .applies = nullptr,
    .features = nullptr,
    .predict = predict,
};

}  // namespace scvet::trial
