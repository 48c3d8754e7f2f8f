// Some cells of a file as a file of their own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace scvet::jobs {

// Writes the cells `rows` (ascending) of `source` as an h5ad: obs, var, X, layers, raw and obsm; pairwise matrices and
// uns, which describe all cells, are left out.
void write_cell_subset(const std::string& source, const std::string& target, const std::vector<std::int64_t>& rows);

}  // namespace scvet::jobs
