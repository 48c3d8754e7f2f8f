#include "subsample.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "scvet/base/random.h"

namespace scvet::audit {

std::vector<std::int64_t> nested_rows(std::int64_t n_rows, std::int64_t size, std::uint64_t seed) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(n_rows));
  std::iota(rows.begin(), rows.end(), std::int64_t{0});
  if (size >= n_rows) return rows;
  const auto key = [&](std::int64_t row) { return std::pair(mix(seed ^ static_cast<std::uint64_t>(row)), row); };
  const auto end = rows.begin() + size;
  std::nth_element(rows.begin(), end, rows.end(), [&](std::int64_t a, std::int64_t b) { return key(a) < key(b); });
  rows.erase(end, rows.end());
  std::sort(rows.begin(), rows.end());
  return rows;
}

// Rows that follow one another in the source stay one piece.
sketch::StoredSketches SubsampleSource::stored_sketches(std::int64_t row) const {
  sketch::StoredSketches stored = source_.stored_sketches(of(row));
  std::int64_t run = 1;
  while (run < stored.count && row + run < n_cells() && of(row + run) == of(row) + run) ++run;
  stored.count = std::min(stored.count, run);
  return stored;
}

}  // namespace scvet::audit
