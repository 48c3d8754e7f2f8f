// Principal components of the expression change, as many as the representation has dimensions (specification 22).
#include "residual_fits.h"
#include "scvet/numeric/principal_components.h"
#include "scvet/trial/controls.h"
#include "scvet/trial/predictor.h"

namespace scvet::trial {
namespace {

FeatureMatrix features(const PredictorInput& input) {
  const MatrixView<const double> x = input.data.x_delta;
  numeric::PrincipalComponents components =
      numeric::principal_components(x, train_rows(input.data.split), input.z.cols);
  unit_rows({components.scores.data(), x.rows, components.n_components});
  return {std::move(components.scores), components.n_components};
}

}  // namespace

extern const PredictorRecord pca_expression_predictor = {
    .name = "PCA_EXPRESSION",
    .label = "Principal components of expression",
    .matched =
        "MODEL with unit rows of the first components of x_delta, fitted on train rows: the same dimension by linear compression of the measurement itself.",
    .in_cascade = false,
    .seeded = true,
    .applies = has_expression,
    .features = features,
    .predict = network_on_features,
};

}  // namespace scvet::trial
