// Some cells embedded again by the encoder itself, from their counts alone.
#pragma once

#include <string>

#include "trial_common.h"

namespace scvet::jobs {

// Writes the drawn cells under neutral names, runs the command, compares; keeps what was found in
// derived/reextract_<arm>.json. Returns a sentence. ModelError when the command fails or writes something else.
std::string reextract_cells(const trial::TrialFolder& folder, const std::string& arm, TrialScreenFile& screen,
                            const TrialSanityOptions& options);

}  // namespace scvet::jobs
