// The anchor: four numbers on how large the change of expression is (specification 8).
#include "residual_fits.h"
#include "scvet/trial/predictor.h"

namespace scvet::trial {
namespace {

std::vector<double> predict(const PredictorInput& input, const FeatureMatrix&, std::uint32_t) {
  return fit_anchor(input.data, input.protocol).predictions;
}

}  // namespace

extern const PredictorRecord mag_only_predictor = {
    .name = "MAG_ONLY",
    .label = "Magnitude alone",
    .matched =
        "The anchor that every other predictor but the direct baseline starts from: what the size of a change says without its direction.",
    .in_cascade = true,
    .seeded = false,
    .applies = nullptr,
    .features = nullptr,
    .predict = predict,
};

}  // namespace scvet::trial
