// Whether a trial can decide anything, asked before it is locked.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "scvet/trial/split.h"
#include "scvet/trial/trial_folder.h"

namespace scvet::jobs {

// DataError infeasible with every number that falls short, unless `underpowered`; then the same as notes. SS_tot = 0 in
// a part or fold has no override (ss_tot_zero). Of the test part only pass or fail is said.
std::vector<std::string> require_feasible(const trial::LockContents& contents, const trial::Split& split,
                                          std::span<const std::string> targets, std::int64_t n_genes,
                                          bool underpowered);

}  // namespace scvet::jobs
