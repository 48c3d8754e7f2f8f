// What predictors share: the anchor, the residual that the others learn, and the two ways of learning it.
#pragma once

#include <vector>

#include "scvet/numeric/ridge.h"
#include "scvet/trial/predictor.h"

namespace scvet::trial {

// Ridge from MAG to y.
numeric::RidgeFit fit_anchor(const TrialData& data, const Protocol& protocol);

struct BaselineFit {
  double alpha;  // NaN where the form has none
  std::vector<double> predictions;
};
BaselineFit fit_baseline(const TrialData& data, const std::vector<double>& anchor, const Protocol& protocol);

// y minus the anchor on train rows; NaN elsewhere, so that a predictor that looks there cannot go unnoticed.
std::vector<double> train_residual(const TrialData& data, const std::vector<double>& anchor);

// Anchor plus what ridge (own penalty, same grid and folds) or the network learns of the residual from x, all rows.
std::vector<double> residual_ridge(const PredictorInput& input, MatrixView<const double> x);
std::vector<double> residual_network(const PredictorInput& input, MatrixView<const double> x, std::uint32_t seed);

// For records whose features are made from x_delta: whether it is there, and the network on what their seeds share.
bool has_expression(const PredictorInput& input);
std::vector<double> network_on_features(const PredictorInput& input, const FeatureMatrix& shared, std::uint32_t seed);

}  // namespace scvet::trial
