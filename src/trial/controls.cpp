#include "scvet/trial/controls.h"

#include <algorithm>
#include <cmath>

#include "scvet/numeric/mt19937.h"

namespace scvet::trial {

std::vector<double> gaussian_rows(std::int64_t n_rows, std::int64_t dim, std::uint32_t seed) {
  numeric::Mt19937 stream(seed);
  std::vector<double> rows(static_cast<std::size_t>(n_rows * dim));
  for (double& value : rows) value = stream.randn();
  unit_rows({rows.data(), n_rows, dim});
  return rows;
}

std::vector<std::int64_t> shuffle_sources(const Split& split, std::uint32_t seed) {
  numeric::Mt19937 stream(seed);
  std::vector<std::int64_t> source(split.part.size());
  for (const Part part : kParts) {
    const std::vector<std::int64_t> rows = rows_of_part(split, part);
    const std::vector<std::uint32_t> order = stream.permutation(static_cast<std::uint32_t>(rows.size()));
    for (std::size_t place = 0; place < rows.size(); ++place)
      source[static_cast<std::size_t>(rows[place])] = rows[order[place]];
  }
  return source;
}

std::vector<double> take_rows(MatrixView<const double> matrix, const std::vector<std::int64_t>& rows) {
  std::vector<double> taken;
  taken.reserve(rows.size() * static_cast<std::size_t>(matrix.cols));
  for (const std::int64_t row : rows) taken.insert(taken.end(), matrix.row(row), matrix.row(row) + matrix.cols);
  return taken;
}

void unit_rows(MatrixView<double> matrix) {
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    double squares = 0;
    for (const double value : matrix.row_span(row)) squares += value * value;
    if (squares == 0) continue;
    const double length = std::sqrt(squares);
    for (double& value : matrix.row_span(row)) value /= length;
  }
}

}  // namespace scvet::trial
