// The expression change of as many genes as the representation has dimensions: those that vary most over train rows.
#include <algorithm>
#include <numeric>

#include "residual_fits.h"
#include "scvet/trial/controls.h"
#include "scvet/trial/predictor.h"

namespace scvet::trial {
namespace {

std::vector<double> train_variance(const TrialData& data) {
  const MatrixView<const double> x = data.x_delta;
  const std::vector<std::int64_t> rows = rows_of_part(data.split, Part::kTrain);
  const auto n = static_cast<double>(rows.size());
  std::vector<double> mean(static_cast<std::size_t>(x.cols), 0.0), variance(mean);
  for (const std::int64_t row : rows)
    for (std::size_t gene = 0; gene < mean.size(); ++gene) mean[gene] += x.row(row)[gene];
  for (double& value : mean) value /= n;
  for (const std::int64_t row : rows)
    for (std::size_t gene = 0; gene < mean.size(); ++gene) {
      const double centred = x.row(row)[gene] - mean[gene];
      variance[gene] += centred * centred;
    }
  for (double& value : variance) value /= n;
  return variance;
}

FeatureMatrix features(const PredictorInput& input) {
  const MatrixView<const double> x = input.data.x_delta;
  const std::vector<double> variance = train_variance(input.data);
  std::vector<std::int64_t> genes(variance.size());
  std::iota(genes.begin(), genes.end(), 0);
  std::stable_sort(genes.begin(), genes.end(), [&](std::int64_t a, std::int64_t b) {
    return variance[static_cast<std::size_t>(a)] > variance[static_cast<std::size_t>(b)];
  });
  genes.resize(static_cast<std::size_t>(std::min(input.z.cols, x.cols)));
  std::sort(genes.begin(), genes.end());
  FeatureMatrix picked{{}, static_cast<std::int64_t>(genes.size())};
  for (std::int64_t row = 0; row < x.rows; ++row)
    for (const std::int64_t gene : genes) picked.values.push_back(x(row, gene));
  unit_rows({picked.values.data(), x.rows, picked.cols});
  return picked;
}

}  // namespace

extern const PredictorRecord hvg_delta_predictor = {
    .name = "HVG_DELTA",
    .label = "Most variable genes",
    .matched =
        "MODEL with unit rows of x_delta on the most variable genes (variance over train rows, lower column first on ties): the same dimension by picking genes.",
    .in_cascade = false,
    .seeded = true,
    .applies = has_expression,
    .features = features,
    .predict = network_on_features,
};

}  // namespace scvet::trial
