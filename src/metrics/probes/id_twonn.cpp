// Intrinsic dimension from the two nearest others of each cell: N / sum ln(r2 / r1).
#include <limits>

#include "scvet/graph/neighbours.h"
#include "scvet/metrics/geometry.h"
#include "scvet/numeric/exact_log.h"

namespace scvet::metrics {
namespace {

struct Dimension {
  double value = std::numeric_limits<double>::quiet_NaN();
  std::int64_t n_cells = 0;
};

Dimension two_nearest(MatrixView<const float> x) {
  constexpr std::int64_t kFewest = 10;
  Dimension found;
  const graph::Neighbours nearest = graph::exact_neighbours(x, 3);  // the cell itself first
  double sum = 0;
  for (std::int64_t cell = 0; cell < nearest.n_cells; ++cell) {
    const double r1 = nearest.list_distances(cell)[1], r2 = nearest.list_distances(cell)[2];
    if (!(r1 > 0 && r2 > r1)) continue;
    sum += numeric::exact_log(r2 / r1);
    ++found.n_cells;
  }
  if (found.n_cells >= kFewest) found.value = static_cast<double>(found.n_cells) / sum;
  return found;
}

ProbeOutput compute(const GeometryInput& input) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  if (input.z.rows < 3) return {{kNaN, std::int64_t{0}, kNaN, std::int64_t{0}}, "twonn_knn=insufficient_cells"};
  const Dimension raw = two_nearest(input.z), standard = two_nearest(input.standard);
  return {{raw.value, raw.n_cells, standard.value, standard.n_cells}, "twonn_knn=exact"};
}

constexpr const char* kColumns[] = {"id_twonn_raw", "id_twonn_raw_n_cells", "id_twonn_z", "id_twonn_z_n_cells"};

}  // namespace

extern const ProbeRecord id_twonn_probe = {
    .name = "id_twonn",
    .label = "intrinsic dimension (TwoNN)",
    .columns = kColumns,
    .source = "doi:10.1038/s41598-017-11873-y",
    .meaning =
        "dimension of the surface that the cells lie on, as their two nearest others see it; z: of the "
        "standardised embedding. Noise raises it, duplicated cells are left out",
    .range = "above 0",
    .undefined = "fewer than 10 cells with two distances 0 < r1 < r2",
    .version = "1",
    .order = 4,
    .note_order = 3,
    .optional = false,
    .compute = compute};

}  // namespace scvet::metrics
