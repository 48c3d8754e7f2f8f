// Rows of an embedding exchanged among the cells of a group (docs/methods.md).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "scvet/data/groups.h"
#include "scvet/embed/method.h"

namespace scvet::embed {

// The row that each cell gets. Cells of a group in code-point order of their names are shuffled by Fisher and Yates'
// method from the end, so that the order of the file does not matter; a cell without a group keeps its row.
std::vector<std::int64_t> shuffled_within(const Groups& groups, std::span<const std::string> cell_names,
                                          std::uint64_t seed);

// The rows of `embedding` in that order.
MethodOutput with_rows(MethodOutput embedding, std::span<const std::int64_t> source_rows);

}  // namespace scvet::embed
