// One pass over X for all that `scvet check` asks of its values.
#pragma once

#include <cstdint>
#include <vector>

#include "scvet/data/cells.h"
#include "scvet/data/groups.h"
#include "scvet/data/values.h"

namespace scvet::jobs {

// The peer's look at the values: at most about 200,000 stored entries, taken with a fixed stride.
struct ValueProbe {
  bool all_whole = true;  // within 1e-6, or 1e-5 of the value
  double max = 0;         // NaN where nothing was probed
};

struct BatchValues {
  std::int64_t n_nonzero = 0, n_fractional = 0;
  ValueSummary::Example example = {-1, -1, 0};  // the first fractional value; cell < 0: none
};

struct MatrixScan {
  ValueProbe probe;
  ValueSummary values;               // of all values
  std::vector<double> gene_totals;   // sums over cells, NaN left out
  std::vector<BatchValues> batches;  // one a group of `batches`
};

// `batches` may be null. DataError where the matrix is broken.
MatrixScan scan_matrix(CellSource& source, const Groups* batches);

}  // namespace scvet::jobs
