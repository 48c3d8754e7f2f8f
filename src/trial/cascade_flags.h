// Flags of an outcome: read beside the category, which they never change (specification 12).
#pragma once

#include "scvet/trial/cascade.h"

namespace scvet::trial {

void add_delta_flags(Outcome& outcome, const CascadeRule& rule);
void add_anchor_flags(Outcome& outcome, std::span<const PredictorScores> scores);

}  // namespace scvet::trial
