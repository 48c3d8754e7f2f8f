// Which cells of a screen a model saw in pretraining, as an audit says.
#pragma once

#include <string>
#include <vector>

#include "scvet/trial/strata.h"

namespace scvet::jobs {

// One a cell name, joined by name. Column values: exposed, clean, unknown, or 1, 0 and empty. Cells that the table
// lacks are unknown. UsageError when there is no such column; DataError on another value or no common cell.
std::vector<trial::CellOverlap> read_overlap(const std::string& path, const std::string& column,
                                             const std::vector<std::string>& cell_names);

}  // namespace scvet::jobs
