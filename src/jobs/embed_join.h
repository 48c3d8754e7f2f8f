// Rows that a program wrote, joined to the cells it was given.
#pragma once

#include <string>
#include <vector>

#include "scvet/embed/method.h"

namespace scvet::jobs {

// The embedding in `path` (h5ad X, .npy with names in <path>.names, parquet, text table) in the order of `cells`. A
// cell without a row, or with a row that is all NaN, is NaN with the reason "not returned" or "returned as NaN".
// DataError on a name that is unknown or stands twice, on a file that names no cells, and on a row that is NaN in part
// or has an infinity.
embed::MethodOutput join_by_name(const std::string& path, const std::vector<std::string>& cells);

}  // namespace scvet::jobs
