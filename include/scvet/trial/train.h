// Training of a trial's predictors. Results are the same bytes for any number of workers.
#pragma once

#include <string>
#include <vector>

#include "scvet/trial/predictor.h"

namespace scvet::trial {

// MAG_ONLY and BASELINE in the form of the protocol. Reads y of train rows only.
FixedPredictions fit_fixed(const TrialData& data, const Protocol& protocol);

// [seed in protocol order][row], every row of the data.
struct ArmPredictions {
  std::vector<std::vector<double>> model, gaussian, shuffle;
};
ArmPredictions train_arm(const TrialData& data, const FixedPredictions& fixed, MatrixView<const double> z,
                         const Protocol& protocol);

struct PredictorRun {
  std::string name;
  std::vector<std::vector<double>> seeds;  // [seed][row]; the same row for each seed where it has no seed
};
// Those of `chosen` that apply to the input, in the order given.
std::vector<PredictorRun> run_predictors(const PredictorInput& input, std::span<const PredictorRecord* const> chosen);
// Every record that is not in the cascade and applies.
std::vector<PredictorRun> run_reported_only(const PredictorInput& input);

}  // namespace scvet::trial
