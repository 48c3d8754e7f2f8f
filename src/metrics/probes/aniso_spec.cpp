// Share of the embedding's energy along its first direction: sigma_1(Z)^2 / sum(Z^2), not centred.
#include <algorithm>

#include "scvet/base/parallel.h"
#include "scvet/metrics/geometry.h"
#include "scvet/numeric/gram.h"
#include "scvet/numeric/leading_eigen.h"

namespace scvet::metrics {
namespace {

// Up to so many dimensions Z'Z is made once, beyond it is only applied: making it costs rows x dimensions^2, each step of
// the iteration rows x dimensions without it.
constexpr std::int64_t kMostProducts = 1600;
constexpr std::int64_t kRows = 256;  // fixed tiles, summed in order: the same bytes for any number of workers

std::int64_t n_tiles(MatrixView<const float> z) { return (z.rows + kRows - 1) / kRows; }

double total_energy(MatrixView<const float> z) {
  std::vector<double> parts(static_cast<std::size_t>(n_tiles(z)), 0.0);
  parallel_for(n_tiles(z), [&](std::int64_t task, int) {
    for (std::int64_t row = task * kRows; row < std::min(z.rows, (task + 1) * kRows); ++row)
      for (const float value : z.row_span(row)) parts[static_cast<std::size_t>(task)] += double{value} * double{value};
  });
  double sum = 0;
  for (const double part : parts) sum += part;
  return sum;
}

// y = Z'Z x
void multiply(MatrixView<const float> z, std::span<const double> x, std::span<double> y) {
  std::vector<double> parts(static_cast<std::size_t>(n_tiles(z) * z.cols), 0.0);
  parallel_for(n_tiles(z), [&](std::int64_t task, int) {
    double* const part = parts.data() + task * z.cols;
    for (std::int64_t row = task * kRows; row < std::min(z.rows, (task + 1) * kRows); ++row) {
      const float* const values = z.row(row);
      double along = 0;
      for (std::int64_t col = 0; col < z.cols; ++col) along += double{values[col]} * x[static_cast<std::size_t>(col)];
      for (std::int64_t col = 0; col < z.cols; ++col) part[col] += along * double{values[col]};
    }
  });
  std::fill(y.begin(), y.end(), 0.0);
  for (std::int64_t tile = 0; tile < n_tiles(z); ++tile)
    for (std::size_t col = 0; col < y.size(); ++col) y[col] += parts[static_cast<std::size_t>(tile * z.cols) + col];
}

double leading_value(MatrixView<const float> z) {
  if (z.cols <= kMostProducts) {
    const std::vector<double> products = numeric::gram(z);
    return numeric::leading_eigen(MatrixView<const double>(products.data(), z.cols, z.cols), 1,
                                  numeric::Leading::kLargest)
        .values.front();
  }
  const auto product = [&](std::span<const double> x, std::span<double> y) { multiply(z, x, y); };
  return numeric::leading_eigen(z.cols, product, 1, numeric::Leading::kLargest).values.front();
}

ProbeOutput compute(const GeometryInput& input) {
  const MatrixView<const float> z = input.z;
  if (z.rows < 2) return {{}, "aniso_spec=insufficient_cells"};
  const double energy = total_energy(z);
  if (!(energy > 0)) return {{}, "aniso_spec=nonpositive_total_energy"};
  return {{leading_value(z) / energy}, "aniso_spec=exact_svd_top1"};
}

constexpr const char* kColumns[] = {"aniso_spec"};

}  // namespace

extern const ProbeRecord aniso_spec_probe = {
    .name = "aniso_spec",
    .label = "spectral anisotropy",
    .columns = kColumns,
    .source = "scFoundry 0.2.1; cf. doi:10.18653/v1/D19-1006",
    .meaning = "share of the sum of squares along one direction, the mean included. Near 1: the cells point one way",
    .range = "1 / dimensions to 1",
    .undefined = "fewer than two cells, or every value zero",
    .version = "1",
    .order = 1,
    .note_order = 2,
    .optional = false,
    .compute = compute};

}  // namespace scvet::metrics
