// A small data set of random numbers with a label that the features and the representation both bear on.
#pragma once

#include "trial_vectors.h"

namespace scvet::trial::testing {

// A small set of its own, so that these run without the published vectors.
struct SmallSet : VectorSet {
  std::vector<double> z;
  explicit SmallSet(std::int64_t rows = 60, std::int64_t genes = 9) {
    x_delta.shape = {rows, genes};
    const std::vector<double> random = gaussian_rows(rows, genes + 3, 4);
    std::vector<double> y;
    for (std::int64_t row = 0; row < rows; ++row) {
      const double* values = random.data() + row * (genes + 3);
      x_delta.values.insert(x_delta.values.end(), values, values + genes);
      z.insert(z.end(), values + genes, values + genes + 3);
      y.push_back(0.5 + values[0] + 0.3 * values[genes]);
      data.row_id.push_back("R" + std::to_string(row));
      data.target.push_back("T" + std::to_string(row / 2));
      data.n_cells.push_back(10 + row);
    }
    x_unit_delta = x_delta.values;
    unit_rows({x_unit_delta.data(), rows, genes});
    mag = magnitudes(x_delta.view());
    data.y = y;
    data.split = make_split(data.target, 3, {0.70, 0.15, 0.15}, 5);
    data.x_delta = x_delta.view();
    data.x_unit_delta = {x_unit_delta.data(), rows, genes};
    data.mag = {mag.data(), rows, 4};
  }
  MatrixView<const double> z_view() const { return {z.data(), x_delta.rows(), 3}; }
};

inline Protocol quick() {
  Protocol protocol;
  protocol.mlp.epochs = 2;
  return protocol;
}

}  // namespace scvet::trial::testing
