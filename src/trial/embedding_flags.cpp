// Specification 16: what an embedding that was not made from the counts of one cell at a time can betray.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "scvet/base/error.h"
#include "scvet/numeric/mt19937.h"
#include "scvet/numeric/order_statistics.h"
#include "scvet/trial/audits.h"

namespace scvet::trial {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Mean squared distance of the cells from their mean.
double spread(MatrixView<const double> cells, std::span<const std::int64_t> which) {
  const auto n = static_cast<double>(which.size());
  std::vector<double> mean(static_cast<std::size_t>(cells.cols), 0.0);
  for (const std::int64_t cell : which)
    for (std::size_t col = 0; col < mean.size(); ++col) mean[col] += cells.row(cell)[col];
  for (double& value : mean) value /= n;
  double squares = 0;
  for (const std::int64_t cell : which)
    for (std::size_t col = 0; col < mean.size(); ++col) {
      const double centred = cells.row(cell)[col] - mean[col];
      squares += centred * centred;
    }
  return squares / n;
}

double distance(const double* a, const double* b, std::int64_t n) {
  double squares = 0;
  for (std::int64_t col = 0; col < n; ++col) squares += (a[col] - b[col]) * (a[col] - b[col]);
  return std::sqrt(squares);
}

double mean_norm(MatrixView<const double> cells) {
  double sum = 0;
  for (const double norm : row_norms(cells)) sum += norm;
  return sum / static_cast<double>(cells.rows);
}

void compare_equal_counts(EmbeddingFlags& flags, MatrixView<const double> cells,
                          std::span<const std::uint64_t> record_hash) {
  std::map<std::uint64_t, std::vector<std::int64_t>> by_hash;
  for (std::size_t cell = 0; cell < record_hash.size(); ++cell)
    by_hash[record_hash[cell]].push_back(static_cast<std::int64_t>(cell));
  const double bound = kDifferentEmbedding * mean_norm(cells);
  for (const auto& [hash, group] : by_hash) {
    if (group.size() < 2) continue;
    ++flags.groups;
    flags.cells += static_cast<std::int64_t>(group.size());
    for (std::size_t at = 1; at < group.size(); ++at)
      if (distance(cells.row(group[0]), cells.row(group[at]), cells.cols) > bound) ++flags.differing;
  }
  flags.same_counts_different_embedding = flags.differing > 0;
}

}  // namespace

EmbeddingFlags flag_embedding(MatrixView<const double> cells, std::span<const std::vector<std::int64_t>> rows,
                              std::span<const std::uint64_t> record_hash) {
  if (static_cast<std::int64_t>(record_hash.size()) != cells.rows)
    throw InternalError("embedding flags: expected one record hash a cell");
  EmbeddingFlags flags;
  std::vector<std::int64_t> all(static_cast<std::size_t>(cells.rows));
  for (std::size_t cell = 0; cell < all.size(); ++cell) all[cell] = static_cast<std::int64_t>(cell);
  const double total = spread(cells, all);
  std::vector<double> ratios;
  for (const std::vector<std::int64_t>& row : rows)
    if (row.size() > 1) ratios.push_back(total > 0 ? spread(cells, row) / total : 0);
  flags.within_row_ratio = ratios.empty() ? kNaN : numeric::median(ratios);
  flags.constant_within_row = flags.within_row_ratio < kConstantWithinRow;
  compare_equal_counts(flags, cells, record_hash);
  return flags;
}

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
