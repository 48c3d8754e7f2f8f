// Folds in which every label has its share, drawn as scikit-learn's StratifiedKFold(shuffle=True) draws them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace scvet::metrics {

// Fold of each cell, 0 .. n_folds - 1; -1 for label -1. Labels are taken in the order of their first cell, and each deals
// its folds to its cells by numpy's RandomState(seed), one stream for all. Every label has at least n_folds cells.
std::vector<std::int32_t> stratified_folds(std::span<const std::int32_t> labels, std::int32_t n_folds,
                                           std::uint32_t seed);

}  // namespace scvet::metrics
