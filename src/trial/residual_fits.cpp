#include "residual_fits.h"

#include <limits>

#include "scvet/base/parallel.h"
#include "scvet/trial/mlp.h"

namespace scvet::trial {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<double> add(const std::vector<double>& anchor, std::vector<double> correction) {
  for (std::size_t row = 0; row < anchor.size(); ++row) correction[row] = anchor[row] + correction[row];
  return correction;
}

numeric::RidgeFit ridge_on_residual(const TrialData& data, const std::vector<double>& anchor, const Protocol& protocol,
                                    MatrixView<const double> x) {
  return numeric::ridge_cv(x, train_residual(data, anchor), data.split.fold, protocol.alphas);
}

std::vector<double> network_on_residual(const TrialData& data, const std::vector<double>& anchor,
                                        const Protocol& protocol, MatrixView<const double> x, std::uint32_t seed) {
  const MlpResult trained = train_mlp(x, train_residual(data, anchor), train_rows(data.split), seed, protocol.mlp);
  return add(anchor, {trained.output.begin(), trained.output.end()});
}

// One value for all seeds from a learner that has seeds: the mean of their predictions, in seed order.
std::vector<double> mean_network(const TrialData& data, const std::vector<double>& anchor, const Protocol& protocol) {
  std::vector<std::vector<double>> seeds(protocol.seeds.size());
  parallel_for(static_cast<std::int64_t>(seeds.size()), [&](std::int64_t task, int) {
    const auto at = static_cast<std::size_t>(task);
    seeds[at] = network_on_residual(data, anchor, protocol, data.x_unit_delta, protocol.seeds[at]);
  });
  std::vector<double> mean(anchor.size(), 0.0);
  for (const std::vector<double>& each : seeds)
    for (std::size_t row = 0; row < mean.size(); ++row) mean[row] += each[row];
  for (double& value : mean) value /= static_cast<double>(seeds.size());
  return mean;
}

}  // namespace

std::vector<double> train_residual(const TrialData& data, const std::vector<double>& anchor) {
  std::vector<double> residual(data.y.size(), kNaN);
  for (std::size_t row = 0; row < residual.size(); ++row)
    if (data.split.part[row] == Part::kTrain) residual[row] = data.y[row] - anchor[row];
  return residual;
}

numeric::RidgeFit fit_anchor(const TrialData& data, const Protocol& protocol) {
  return numeric::ridge_cv(data.mag, data.y, data.split.fold, protocol.alphas);
}

BaselineFit fit_baseline(const TrialData& data, const std::vector<double>& anchor, const Protocol& protocol) {
  switch (protocol.baseline) {
    case BaselineForm::kRidgeDirect: {
      numeric::RidgeFit fit = numeric::ridge_cv(data.x_unit_delta, data.y, data.split.fold, protocol.alphas);
      return {fit.alpha, std::move(fit.predictions)};
    }
    case BaselineForm::kMlpResidual:
      return {kNaN, mean_network(data, anchor, protocol)};
    default: {
      numeric::RidgeFit fit = ridge_on_residual(data, anchor, protocol, data.x_unit_delta);
      return {fit.alpha, add(anchor, std::move(fit.predictions))};
    }
  }
}

std::vector<double> residual_ridge(const PredictorInput& input, MatrixView<const double> x) {
  return add(input.fixed.mag_only, ridge_on_residual(input.data, input.fixed.mag_only, input.protocol, x).predictions);
}

std::vector<double> residual_network(const PredictorInput& input, MatrixView<const double> x, std::uint32_t seed) {
  return network_on_residual(input.data, input.fixed.mag_only, input.protocol, x, seed);
}

bool has_expression(const PredictorInput& input) { return input.data.x_delta.rows > 0; }

std::vector<double> network_on_features(const PredictorInput& input, const FeatureMatrix& shared, std::uint32_t seed) {
  return residual_network(input, {shared.values.data(), input.data.x_delta.rows, shared.cols}, seed);
}

}  // namespace scvet::trial
