// The row-identity control: the network of MODEL on the representations of other rows of the same part (specification 7).
#include "residual_fits.h"
#include "scvet/trial/controls.h"
#include "scvet/trial/predictor.h"

namespace scvet::trial {
namespace {

std::vector<double> predict(const PredictorInput& input, const FeatureMatrix&, std::uint32_t seed) {
  const std::vector<std::int64_t> source =
      shuffle_sources(input.data.split, seed + static_cast<std::uint32_t>(input.protocol.shuffle_offset));
  const std::vector<double> rows = take_rows(input.z, source);
  return residual_network(input, {rows.data(), input.z.rows, input.z.cols}, seed);
}

}  // namespace

extern const PredictorRecord shuffle_predictor = {
    .name = "SHUFFLE",
    .label = "Shuffled representation",
    .matched =
        "MODEL with its own rows given to the wrong perturbations of the same part: what the distribution of the representation gives without row identity.",
    .in_cascade = true,
    .seeded = true,
    .applies = nullptr,
    .features = nullptr,
    .predict = predict,
};

}  // namespace scvet::trial
