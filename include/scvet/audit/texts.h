// What the controls measured, in words: for verdicts and for the log.
#pragma once

#include <string>

#include "scvet/audit/outcome.h"

namespace scvet::audit {

// "a copy thinned to 50 % would be found with probability .97 [.94, .99]"
std::string plant_sentence(const PlantPower& plant);
// The error rates measured on the user's own cells, or why they could not be measured.
std::string calibration_sentence(const FalsePositives& result);
// .973 -> ".973", as probabilities are printed in sentences: three significant digits, without the leading zero.
std::string probability_text(double value);

}  // namespace scvet::audit
