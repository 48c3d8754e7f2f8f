#include "scvet/metrics/batch_subsample.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "scvet/numeric/numpy_random.h"

namespace scvet::metrics {
namespace {

using Strata = std::vector<std::vector<std::int64_t>>;

Strata strata_by_first_cell(const Groups& labels, const Groups& batches) {
  Strata strata;
  std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> number;
  for (std::size_t cell = 0; cell < labels.of_cell.size(); ++cell) {
    const auto [at, is_new] = number.try_emplace({labels.of_cell[cell], batches.of_cell[cell]}, strata.size());
    if (is_new) strata.emplace_back();
    strata[at->second].push_back(static_cast<std::int64_t>(cell));
  }
  return strata;
}

// Places of the values, largest value first; equal ones in their order.
std::vector<std::size_t> descending(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
  return order;
}

// Takes from the strata of the smallest share until the sum is `most`, then gives what is missing to those that lost the
// largest fraction.
void settle(std::vector<std::int64_t>& quota, const Strata& strata, const std::vector<double>& share,
            std::int64_t most) {
  std::int64_t sum = std::accumulate(quota.begin(), quota.end(), std::int64_t{0});
  for (; sum > most; --sum) {
    std::size_t smallest = quota.size();
    for (std::size_t at = 0; at < quota.size(); ++at)
      if (quota[at] > 0 && (smallest == quota.size() || share[at] < share[smallest])) smallest = at;
    --quota[smallest];
  }
  std::vector<double> lost;
  for (const double value : share) lost.push_back(value - std::floor(value));
  for (const std::size_t at : descending(lost)) {
    const std::int64_t more = std::min(std::ssize(strata[at]) - quota[at], most - sum);
    quota[at] += more;
    sum += more;
  }
}

std::vector<std::int64_t> quotas(const Strata& strata, std::int64_t n_cells, std::int64_t max_cells) {
  const double scale = static_cast<double>(max_cells) / static_cast<double>(n_cells);
  std::vector<double> share, size;
  std::vector<std::int64_t> quota;
  for (const auto& cells : strata) {
    size.push_back(static_cast<double>(cells.size()));
    share.push_back(size.back() * scale);
    quota.push_back(std::min(static_cast<std::int64_t>(std::floor(share.back())), std::ssize(cells)));
  }
  if (std::ssize(strata) <= max_cells) {
    for (std::int64_t& cells : quota) cells = std::max<std::int64_t>(cells, 1);
  } else {
    std::fill(quota.begin(), quota.end(), 0);
    const std::vector<std::size_t> order = descending(size);
    for (std::int64_t at = 0; at < max_cells; ++at) quota[order[static_cast<std::size_t>(at)]] = 1;
  }
  settle(quota, strata, share, max_cells);
  return quota;
}

}  // namespace

BatchSubsample batch_subsample(const Groups& labels, const Groups& batches, std::int64_t max_cells,
                               std::uint64_t seed) {
  BatchSubsample made;
  const std::int64_t n_cells = std::ssize(labels.of_cell);
  if (max_cells <= 0 || n_cells <= max_cells) {
    made.cells.resize(static_cast<std::size_t>(n_cells));
    std::iota(made.cells.begin(), made.cells.end(), std::int64_t{0});
    return made;
  }
  const Strata strata = strata_by_first_cell(labels, batches);
  const std::vector<std::int64_t> quota = quotas(strata, n_cells, max_cells);
  numeric::NumpyRandom random(seed);
  for (std::size_t at = 0; at < strata.size(); ++at) {
    if (quota[at] == 0) continue;
    const auto size = static_cast<std::uint32_t>(strata[at].size());
    for (const std::uint32_t place : random.choose(size, static_cast<std::uint32_t>(quota[at])))
      made.cells.push_back(strata[at][place]);
  }
  std::sort(made.cells.begin(), made.cells.end());
  made.note = "stratified_subsample=cell_type_x_batch;full_n_cells=" + std::to_string(n_cells) +
              ";used_n_cells=" + std::to_string(made.cells.size());
  return made;
}

}  // namespace scvet::metrics
