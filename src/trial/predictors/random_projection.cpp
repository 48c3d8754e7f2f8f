// A random map of the expression change to as many dimensions as the representation has (specification 22).
#include <algorithm>
#include <cmath>

#include "residual_fits.h"
#include "scvet/base/parallel.h"
#include "scvet/numeric/mt19937.h"
#include "scvet/trial/controls.h"
#include "scvet/trial/predictor.h"

namespace scvet::trial {
namespace {

constexpr std::uint32_t kStream = 20260608;

// Adds what genes first.. of each row give: `directions` holds their rows of R. Genes are summed in their order.
void project(MatrixView<const double> x, std::int64_t first, MatrixView<const double> directions,
             MatrixView<double> projected) {
  constexpr std::int64_t kRows = 64;
  parallel_for((x.rows + kRows - 1) / kRows, [&](std::int64_t task, int) {
    for (std::int64_t row = task * kRows; row < std::min(x.rows, (task + 1) * kRows); ++row) {
      double* out = projected.row(row);
      for (std::int64_t gene = 0; gene < directions.rows; ++gene) {
        const double change = x(row, first + gene);
        const double* direction = directions.row(gene);
        for (std::int64_t col = 0; col < projected.cols; ++col) out[col] += change * direction[col];
      }
    }
  });
}

FeatureMatrix features(const PredictorInput& input) {
  constexpr std::int64_t kGenes = 128;
  const MatrixView<const double> x = input.data.x_delta;
  const std::int64_t dim = input.z.cols;
  const double scale = std::sqrt(static_cast<double>(dim));
  numeric::Mt19937 stream(kStream);
  FeatureMatrix made{std::vector<double>(static_cast<std::size_t>(x.rows * dim), 0.0), dim};
  const MatrixView<double> projected(made.values.data(), x.rows, dim);
  std::vector<double> directions;
  for (std::int64_t first = 0; first < x.cols; first += kGenes) {
    const std::int64_t n_genes = std::min(kGenes, x.cols - first);
    directions.resize(static_cast<std::size_t>(n_genes * dim));
    for (double& value : directions) value = stream.randn() / scale;
    project(x, first, {directions.data(), n_genes, dim}, projected);
  }
  unit_rows(projected);
  return made;
}

}  // namespace

extern const PredictorRecord random_projection_predictor = {
    .name = "RANDOM_PROJECTION",
    .label = "Random projection of expression",
    .matched = "MODEL with unit(x_delta * R), R random: the same dimension from expression without any learning.",
    .in_cascade = false,
    .seeded = true,
    .applies = has_expression,
    .features = features,
    .predict = network_on_features,
};

}  // namespace scvet::trial
