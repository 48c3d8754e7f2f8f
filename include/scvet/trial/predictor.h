// Predictors of a trial: what learns the weak label from a row's features. Variants: src/trial/predictors/<name>.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace scvet::trial {

struct PredictorInput;

struct PredictorRecord {
  const char* name;     // MODEL, BASELINE, ... as in the tables
  const char* label;    // for people
  const char* matched;  // what it holds fixed, and against what it is a control
  bool in_cascade;      // false: reported only
  bool seeded;          // false: one value for all seeds
  // A prediction for every row; learns from train rows only.
  std::vector<double> (*predict)(const PredictorInput& input, std::uint32_t seed);
};
std::span<const PredictorRecord* const> predictors();

}  // namespace scvet::trial
