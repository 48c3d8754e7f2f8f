// One training of an arm, and how two of them are compared.
#pragma once

#include <string>
#include <vector>

#include "scvet/trial/audits.h"
#include "scvet/trial/cascade.h"
#include "scvet/trial/train.h"
#include "trial_common.h"

namespace scvet::jobs {

struct TrainedArm {
  trial::FixedPredictions fixed;
  trial::ArmPredictions predictions;
  trial::SanityRecord record;
};
// Equal in every bit of every prediction and metric.
bool operator==(const TrainedArm& a, const TrainedArm& b);

TrainedArm train_once(const trial::TrialFolder& folder, const trial::TrialData& data, const ArmMatrix& z);

// Largest difference of a val metric; 0 where all are equal in every bit.
double parity_delta(const trial::PartScores& a, const trial::PartScores& b);
bool same_bits(const trial::PartScores& a, const trial::PartScores& b);

// val and test rows, as predictions.tsv holds them.
trial::PredictionsTable predictions_table(const trial::TrialData& data, const trial::ArmPredictions& predictions,
                                          const std::vector<std::uint32_t>& seeds);

// outcome.json of an outcome that has a category.
trial::OutcomeRecord outcome_record(const trial::Outcome& outcome, std::string prefix, std::string role);

// derived/record_hash.u64 of the lock; empty where it is missing.
std::vector<std::uint64_t> load_record_hashes(const trial::TrialFolder& folder);
std::vector<std::string> flag_lines(const trial::EmbeddingFlags& flags);

}  // namespace scvet::jobs
