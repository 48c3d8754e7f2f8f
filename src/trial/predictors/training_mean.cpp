// The mean of y over train rows, the same for every row.
#include "scvet/trial/predictor.h"

namespace scvet::trial {
namespace {

std::vector<double> predict(const PredictorInput& input, const FeatureMatrix&, std::uint32_t) {
  const TrialData& data = input.data;
  double sum = 0, n = 0;
  for (const std::int64_t row : rows_of_part(data.split, Part::kTrain)) {
    sum += data.y[static_cast<std::size_t>(row)];
    n += 1;
  }
  return std::vector<double>(data.y.size(), sum / n);
}

}  // namespace

extern const PredictorRecord training_mean_predictor = {
    .name = "TRAINING_MEAN",
    .label = "Mean of train labels",
    .matched = "The floor of R^2: what knowing nothing about a row gives. It has no Spearman correlation.",
    .in_cascade = false,
    .seeded = false,
    .applies = nullptr,
    .features = nullptr,
    .predict = predict,
};

}  // namespace scvet::trial
