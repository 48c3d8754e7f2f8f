// Which values a matrix holds: counts, fractional, normalised, logged, scaled, an embedding; and why we think so.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scvet/data/cells.h"

namespace scvet {

// kEmpty: no value but zero. kCounts: whole numbers. kFractional: called counts by many, but not whole (expected counts
// of a quantifier, corrected counts). kNormalised: counts times a factor per cell, not logged. kLogged: non-negative on
// a log scale. kScaled: negative values. kEmbedding: negative values under names that number dimensions. kBroken: NaN
// or infinite values.
enum class ValueState { kEmpty, kCounts, kFractional, kNormalised, kLogged, kScaled, kEmbedding, kBroken };
const char* value_state_name(ValueState state);  // empty, counts, ..., broken

struct ValueSummary {
  std::int64_t n_cells = 0, n_genes = 0;
  std::int64_t stored = 0;     // stored values (all of them when dense)
  std::int64_t n_nonzero = 0;  // NaN counts as non-zero, as NumPy does
  std::int64_t n_nan = 0, n_infinite = 0, n_negative = 0;
  std::int64_t n_fractional = 0;   // finite, further than 1e-6 from a whole number
  double sum = 0;                  // float64, NaN left out
  double min_stored = 0, max = 0;  // NaN left out; dense: over all values, zeros included
  std::int64_t n_zero_rows = 0;
  std::vector<double> row_sums;  // one a cell, NaN left out
  struct Example {
    std::int64_t cell, gene;
    double value;
  };
  std::vector<Example> examples;  // the first 3 offending values: not finite, else negative, else fractional
  // Of the cells tried (up to 500), the share whose values are whole multiples of the cell's least value: counts times
  // a factor. The second undoes log(1 + x) first. NaN where no cell could be tried.
  double share_multiples = 0, share_log_multiples = 0;
  ValueState state = ValueState::kEmpty;
  std::string why;  // one sentence for people
};

// Gathers a summary from chunks that are read for another purpose as well. Chunks in ascending order, each cell once.
class ValueAccumulator {
 public:
  explicit ValueAccumulator(const MatrixInfo& info);
  void add(const CellChunk& chunk);
  // `var_names` tell an embedding from scaled expression.
  ValueSummary finish(const std::vector<std::string>& var_names);

 private:
  void add_cell(std::int64_t cell, const std::uint32_t* genes, const double* values, std::int64_t n);
  void try_multiples(const double* values, std::int64_t n);
  ValueSummary summary_;
  bool dense_;
  std::vector<ValueSummary::Example> not_finite_, negative_, fractional_;
  std::vector<double> scratch_;
  double least_row_ = 0, greatest_row_ = 0;
  std::int64_t tried_ = 0, multiples_ = 0, log_multiples_ = 0;
};

// One streaming pass.
ValueSummary summarise_values(CellSource& source);

// DataError unless the values are counts: says the share that is not, with examples by cell and gene name, what the
// values look like instead, and which layer or flag may help. Names may be empty: numbers are shown then.
void require_counts(const ValueSummary& summary, const std::string& file, const std::string& matrix,
                    const std::vector<std::string>& cell_names, const std::vector<std::string>& gene_names);

}  // namespace scvet
