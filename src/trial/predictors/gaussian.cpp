// The random-capacity control: the network of MODEL on random numbers of the same shape (specification 7).
#include "residual_fits.h"
#include "scvet/trial/controls.h"
#include "scvet/trial/predictor.h"

namespace scvet::trial {
namespace {

std::vector<double> predict(const PredictorInput& input, const FeatureMatrix&, std::uint32_t seed) {
  const std::vector<double> rows =
      gaussian_rows(input.z.rows, input.z.cols, seed + static_cast<std::uint32_t>(input.protocol.gaussian_offset));
  return residual_network(input, {rows.data(), input.z.rows, input.z.cols}, seed);
}

}  // namespace

extern const PredictorRecord gaussian_predictor = {
    .name = "GAUSSIAN",
    .label = "Random numbers",
    .matched =
        "MODEL with random unit rows of the same dimension: what the capacity of the network gives without any content.",
    .in_cascade = true,
    .seeded = true,
    .applies = nullptr,
    .features = nullptr,
    .predict = predict,
};

}  // namespace scvet::trial
