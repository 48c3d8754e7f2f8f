// Sums over the rows of a matrix: rows are cut into blocks by their number alone, and the blocks' sums are added in
// order, so that the result does not depend on the number of workers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "scvet/base/parallel.h"

namespace scvet::numeric {

// add(row, sums): adds what the row gives to sums[0 .. n_sums).
template <class AddRow>
std::vector<double> sum_rows(std::int64_t n_rows, std::int64_t n_sums, const AddRow& add) {
  constexpr std::int64_t kRows = 1024, kMostBlocks = 64;
  const std::int64_t block = std::max(kRows, (n_rows + kMostBlocks - 1) / kMostBlocks);
  const std::int64_t n_blocks = (n_rows + block - 1) / block;
  std::vector<double> parts(static_cast<std::size_t>(n_blocks * n_sums), 0.0);
  parallel_for(n_blocks, [&](std::int64_t task, int) {
    double* const sums = parts.data() + task * n_sums;
    for (std::int64_t row = task * block; row < std::min(n_rows, (task + 1) * block); ++row) add(row, sums);
  });
  std::vector<double> all(static_cast<std::size_t>(n_sums), 0.0);
  for (std::int64_t task = 0; task < n_blocks; ++task)
    for (std::int64_t at = 0; at < n_sums; ++at)
      all[static_cast<std::size_t>(at)] += parts[static_cast<std::size_t>(task * n_sums + at)];
  return all;
}

}  // namespace scvet::numeric
