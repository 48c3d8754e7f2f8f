// Fewer cells, drawn by name: the same cells whatever their order, and a smaller draw lies inside a larger one of the
// same stratum.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scvet/data/groups.h"
#include "scvet/jobs/prepare.h"

namespace scvet::jobs {

struct DrawStratum {
  std::string label;  // "" for cells without one
  std::int64_t before = 0, after = 0;
};

struct CellDraw {
  std::vector<std::int64_t> cells;  // ascending
  std::string stratified_by;        // the label column, "" where there is none
  std::vector<DrawStratum> strata;  // of that column, in code-point order, cells without a label last
};
// UsageError when a cap names no column of obs.
CellDraw draw_cells(const Table& obs, const PrepareOptions& options, const std::string& file);

// `total` shared out in proportion to `counts`, largest remainders first, at least 1 where `total` allows; never more
// than there are.
std::vector<std::int64_t> shares(const std::vector<std::int64_t>& counts, std::int64_t total);

}  // namespace scvet::jobs
