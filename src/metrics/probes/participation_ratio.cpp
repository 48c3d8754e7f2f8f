// How many directions carry the variance of the standardised embedding: t^2 / sum(C^2) for its covariance C of trace t.
#include <algorithm>
#include <cmath>
#include <limits>

#include "scvet/base/parallel.h"
#include "scvet/metrics/geometry.h"
#include "scvet/numeric/gram.h"
#include "scvet/numeric/numpy_random.h"

namespace scvet::metrics {
namespace {

constexpr std::int64_t kMostExact = 1600;  // dimensions; beyond, the squares of C are estimated, as the peer does
constexpr std::int64_t kVectors = 128;

struct Traces {
  double variance = 0, squares = 0;  // tr(C), tr(C^2)
};

Traces exact_traces(MatrixView<const float> x) {
  const std::vector<double> products = numeric::gram(x, numeric::column_means(x));
  const auto n = static_cast<double>(x.rows);
  Traces found;
  for (std::int64_t col = 0; col < x.cols; ++col)
    found.variance += products[static_cast<std::size_t>(col * (x.cols + 1))] / n;
  for (const double product : products) found.squares += product / n * (product / n);
  return found;
}

// Vectors of +-1, dimensions x kVectors, drawn row by row.
std::vector<double> signs(std::int64_t n_dims, std::uint64_t seed) {
  numeric::NumpyRandom random(seed);
  std::vector<double> drawn(static_cast<std::size_t>(n_dims * kVectors));
  for (double& sign : drawn) sign = random.below(2) ? 1 : -1;
  return drawn;
}

// x V for the centred x: rows x kVectors.
std::vector<double> projections(MatrixView<const float> x, const std::vector<double>& means,
                                const std::vector<double>& v) {
  constexpr std::int64_t kRows = 16;
  std::vector<double> made(static_cast<std::size_t>(x.rows * kVectors), 0.0);
  parallel_for((x.rows + kRows - 1) / kRows, [&](std::int64_t task, int) {
    const std::int64_t first = task * kRows, end = std::min(x.rows, first + kRows);
    for (std::int64_t col = 0; col < x.cols; ++col)
      for (std::int64_t row = first; row < end; ++row) {
        const double value = double{x(row, col)} - means[static_cast<std::size_t>(col)];
        const double* const from = v.data() + col * kVectors;
        double* const to = made.data() + row * kVectors;
        for (std::int64_t at = 0; at < kVectors; ++at) to[at] += value * from[at];
      }
  });
  return made;
}

// Hutchinson's estimate of tr(C^2): the mean of |C v|^2.
Traces estimated_traces(MatrixView<const float> x, std::uint64_t seed) {
  constexpr std::int64_t kColumns = 16;
  const std::vector<double> means = numeric::column_means(x);
  const std::vector<double> projected = projections(x, means, signs(x.cols, seed));
  const auto n = static_cast<double>(x.rows);
  std::vector<Traces> parts(static_cast<std::size_t>((x.cols + kColumns - 1) / kColumns));
  parallel_for(std::ssize(parts), [&](std::int64_t task, int) {
    const std::int64_t first = task * kColumns, n_cols = std::min(kColumns, x.cols - first);
    std::vector<double> image(static_cast<std::size_t>(n_cols * kVectors), 0.0);  // C v for these dimensions
    Traces& part = parts[static_cast<std::size_t>(task)];
    for (std::int64_t row = 0; row < x.rows; ++row)
      for (std::int64_t col = 0; col < n_cols; ++col) {
        const double value = double{x(row, first + col)} - means[static_cast<std::size_t>(first + col)];
        part.variance += value * value / n;
        const double* const from = projected.data() + row * kVectors;
        double* const to = image.data() + col * kVectors;
        for (std::int64_t at = 0; at < kVectors; ++at) to[at] += value * from[at];
      }
    for (const double value : image) part.squares += value / n * (value / n) / static_cast<double>(kVectors);
  });
  Traces found;
  for (const Traces& part : parts) {
    found.variance += part.variance;
    found.squares += part.squares;
  }
  return found;
}

ProbeOutput compute(const GeometryInput& input) {
  const MatrixView<const float> x = input.standard;
  if (x.rows < 2) return {{}, "pr=insufficient_data"};
  const bool exact = x.cols <= kMostExact;
  const std::string parts[] = {input.dataset_id, input.method, "pr"};
  const Traces traces = exact ? exact_traces(x) : estimated_traces(x, probe_seed(input.seed, parts));
  if (!(traces.variance > 0)) return {{0.0, 0.0}, "pr=zero_trace"};
  const double ratio = traces.variance * traces.variance / traces.squares;
  return {{ratio, ratio / static_cast<double>(x.cols)},
          exact ? "pr=exact_covariance_frobenius" : "pr=hutchinson_frobenius_q128"};
}

constexpr const char* kColumns[] = {"pr", "npr"};

}  // namespace

extern const ProbeRecord participation_ratio_probe = {
    .name = "pr",
    .label = "participation ratio",
    .columns = kColumns,
    .source = "doi:10.1101/214262",
    .meaning =
        "directions that carry the variance once every dimension has variance 1; npr: their share of all "
        "dimensions. Low: the dimensions repeat each other. Principal component scores of all cells have npr 1 by "
        "construction",
    .range = "pr 1 to the number of dimensions, npr its share, 0 where every dimension is constant",
    .undefined = "fewer than two cells",
    .version = "1",
    .order = 0,
    .note_order = 0,
    .optional = false,
    .compute = compute};

}  // namespace scvet::metrics
