// Specification 16: cells embedded once more, from their counts alone.
#include <algorithm>
#include <cmath>
#include <limits>

#include "scvet/base/error.h"
#include "scvet/numeric/mt19937.h"
#include "scvet/trial/audits.h"

namespace scvet::trial {
namespace {

double distance(const double* a, const double* b, std::int64_t n) {
  double squares = 0;
  for (std::int64_t col = 0; col < n; ++col) squares += (a[col] - b[col]) * (a[col] - b[col]);
  return std::sqrt(squares);
}

}  // namespace

EmbeddingFlags::Reextract compare_reextracted(MatrixView<const double> cells, std::span<const std::int64_t> which,
                                              MatrixView<const double> again) {
  if (again.rows != static_cast<std::int64_t>(which.size()) || again.cols != cells.cols)
    throw DataError("re-extraction: expected " + std::to_string(which.size()) + " cells x " +
                    std::to_string(cells.cols) + " dimensions, found " + std::to_string(again.rows) + " x " +
                    std::to_string(again.cols) + "; check the encoder command");
  EmbeddingFlags::Reextract found;
  found.cells = again.rows;
  for (std::int64_t at = 0; at < again.rows; ++at) {
    const double* stored = cells.row(which[static_cast<std::size_t>(at)]);
    double squares = 0;
    for (std::int64_t col = 0; col < cells.cols; ++col) squares += stored[col] * stored[col];
    const double apart = distance(stored, again.row(at), cells.cols), norm = std::sqrt(squares);
    const double relative = apart == 0 ? 0 : norm > 0 ? apart / norm : std::numeric_limits<double>::infinity();
    if (!(relative <= found.largest)) found.largest = relative;  // NaN counts as a difference
  }
  found.flag = !(found.largest <= kReextract);
  return found;
}

std::vector<std::int64_t> reextract_cells(const std::string& lock_id, std::int64_t n_cells, std::int64_t count) {
  const auto seed = static_cast<std::uint32_t>(std::stoul(lock_id.substr(0, 8), nullptr, 16));
  const std::vector<std::uint32_t> order = numeric::Mt19937(seed).permutation(static_cast<std::uint32_t>(n_cells));
  return {order.begin(), order.begin() + std::min(count, n_cells)};
}

}  // namespace scvet::trial
