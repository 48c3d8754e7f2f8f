// Tables as text.
#pragma once

#include <string>

#include "scvet/data/table.h"

namespace scvet::report {

// Header row, then one row per name; the names come first under `table.index_name`. Numbers are the shortest text that
// reads back equal; missing values are empty fields. '\n' line ends.
std::string to_csv(const Table& table);

}  // namespace scvet::report
