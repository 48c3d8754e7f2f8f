// Predictors of a trial: what learns the weak label from a row's features. Variants: src/trial/predictors/<name>.cpp.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "scvet/base/matrix_view.h"
#include "scvet/trial/protocol.h"
#include "scvet/trial/split.h"

namespace scvet::trial {

// What predictors may look at: eligible rows in table order.
struct TrialData {
  std::vector<std::string> row_id, target;
  std::vector<std::int64_t> n_cells;
  Split split;
  MatrixView<const double> x_delta, x_unit_delta, mag;
  std::vector<double> y;  // NaN where withheld (test); predictors read train rows only
};

// MAG_ONLY and BASELINE: one for all arms and seeds of a lock.
struct FixedPredictions {
  double anchor_alpha = std::numeric_limits<double>::quiet_NaN();
  double baseline_alpha = std::numeric_limits<double>::quiet_NaN();  // NaN where the form has none (mlp_residual)
  std::vector<double> mag_only, baseline;                            // every row
};

struct PredictorInput {
  const TrialData& data;
  const FixedPredictions& fixed;  // mag_only is the anchor that networks correct
  MatrixView<const double> z;     // the arm's representation, unit rows; no rows: none
  const Protocol& protocol;
  MatrixView<const double> untrained = {};  // the same of an untrained encoder, where one was given
};

struct FeatureMatrix {
  std::vector<double> values;  // row-major, every row of the data
  std::int64_t cols = 0;
};

struct PredictorRecord {
  const char* name;                                        // MODEL, BASELINE, ... as in the tables
  const char* label;                                       // for people
  const char* matched;                                     // what it holds fixed, and against what it is a control
  bool in_cascade;                                         // false: reported only
  bool seeded;                                             // false: one value for all seeds
  bool (*applies)(const PredictorInput& input);            // nullptr: always
  FeatureMatrix (*features)(const PredictorInput& input);  // what its seeds share, made once; nullptr: nothing
  // A prediction for every row; learns from train rows only.
  std::vector<double> (*predict)(const PredictorInput& input, const FeatureMatrix& features, std::uint32_t seed);
};
std::span<const PredictorRecord* const> predictors();
const PredictorRecord& predictor(const std::string& name);  // by the name of the tables; UsageError

}  // namespace scvet::trial
