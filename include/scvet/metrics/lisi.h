// Local inverse Simpson's index (Korsunsky et al. 2019, doi:10.1038/s41592-019-0619-0).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scvet/graph/neighbours.h"

namespace scvet::metrics {

// Effective number of groups among the neighbours of each cell, in [1, n_groups]: 1 / sum over groups of p^2, where the
// neighbours (the cell's list without the cell) weigh exp(-beta * distance), plain distance, and beta gives the weights
// the entropy ln(perplexity). Fewer neighbours than that, or all at one distance: nearly or exactly equal weights. A cell
// without neighbours is NaN. group_of_cell: 0 .. n_groups - 1.
// Deviation from scib-metrics 0.5.10: distances are counted from the nearest neighbour's, which changes no weight, so that
// none can underflow; its value -1 for a cell whose weights all did cannot occur.
std::vector<double> lisi(const graph::Neighbours& neighbours, std::span<const std::int32_t> group_of_cell,
                         std::int32_t n_groups, double perplexity = 30);

}  // namespace scvet::metrics
