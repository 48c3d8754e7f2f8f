// What the audit says in words; the report and the command print these and add nothing.
#pragma once

#include <string>
#include <vector>

#include "scvet/audit/audit.h"
#include "scvet/audit/outcome.h"

namespace scvet::audit {

struct Limit {
  std::string title, text;
};

// What no hit and no absence of hits can show, for these options; the residual risk of rare types is the first.
std::vector<Limit> limits(const AuditOptions& options);

// "a copy thinned to 50 % would be found with probability .97 [.94, .99]"
std::string plant_sentence(const PlantPower& plant);
// The error rates measured on the user's own cells, or why they could not be measured.
std::string calibration_sentence(const FalsePositives& result);
// .973 -> ".973", as probabilities are printed in sentences: three significant digits, without the leading zero.
std::string probability_text(double value);

}  // namespace scvet::audit
