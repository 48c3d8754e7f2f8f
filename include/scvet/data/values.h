// Which values a matrix holds: counts, normalised, logged, scaled, embedding-like; and why we think so.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scvet/data/cells.h"

namespace scvet {

enum class ValueState { kEmpty, kCounts, kFractional, kNormalised, kLogged, kScaled, kBroken };
const char* value_state_name(ValueState state);  // empty, counts, fractional, normalised, logged, scaled, broken

struct ValueSummary {
  std::int64_t n_cells = 0, n_genes = 0;
  std::int64_t stored = 0;        // stored values (all of them when dense)
  std::int64_t n_nonzero = 0;     // NaN counts as non-zero, as NumPy does
  std::int64_t n_nan = 0, n_infinite = 0, n_negative = 0;
  std::int64_t n_fractional = 0;  // finite, further than 1e-6 from a whole number
  double sum = 0;                 // float64, NaN left out
  double min_stored = 0, max = 0; // NaN left out; dense: over all values, zeros included
  std::int64_t n_zero_rows = 0;
  std::vector<double> row_sums;   // one a cell
  struct Example { std::int64_t cell; std::int64_t gene; double value; };
  std::vector<Example> examples;  // up to 3 of the first offending values: NaN, negative, then fractional
  ValueState state = ValueState::kEmpty;
  std::string why;                // one sentence for people
};

// One streaming pass.
ValueSummary summarise_values(CellSource& source);

}  // namespace scvet
