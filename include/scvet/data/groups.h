// Cells in named groups: labels, batches, donors.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "scvet/data/table.h"

namespace scvet {

struct Groups {
  std::vector<std::string> names;     // in code-point order; each has a cell unless the groups were restricted
  std::vector<std::int32_t> of_cell;  // index into names, -1 missing

  std::int32_t size() const { return static_cast<std::int32_t>(names.size()); }
  std::vector<std::int64_t> counts() const;                // cells of each group
  std::vector<std::vector<std::int64_t>> members() const;  // their cells, ascending
};

// Values compared as texts; categories without a cell are left out.
Groups make_groups(const Column& column);
Groups make_groups(std::span<const std::string> texts);  // "" is missing
// The groups of these cells only, in their order; names without a cell are left out.
Groups select_groups(const Groups& groups, std::span<const std::int64_t> cells);

}  // namespace scvet
