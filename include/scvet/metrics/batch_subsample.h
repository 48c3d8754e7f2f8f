// Fewer cells for the batch metrics, with every combination of label and batch kept where room allows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scvet/data/groups.h"

namespace scvet::metrics {

struct BatchSubsample {
  std::vector<std::int64_t> cells;  // ascending
  std::string note;                 // stratified_subsample=...; "" where all cells are used
};

// max_cells of the cells; all of them where max_cells is 0 or less, or there are no more. Each combination of label and
// batch (in the order of their first cells; neither missing) gets its share rounded down, at least one cell; what is left
// goes to the combinations with the largest fractions lost, one filled after the other, as the peer does. The draws are
// numpy's (default_rng(seed), choice without replacement), so the cells are the peer's.
BatchSubsample batch_subsample(const Groups& labels, const Groups& batches, std::int64_t max_cells,
                               std::uint64_t seed = 17);

}  // namespace scvet::metrics
