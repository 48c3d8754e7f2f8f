#include "batch_label.h"

#include <limits>

#include "scvet/base/parallel.h"

namespace scvet::trial {
namespace {

constexpr std::int64_t kLeastCells = 2;  // of a batch, in the row and among the controls

}  // namespace

BatchLabel::BatchLabel(const Design& design, const CountsStore& controls, std::span<const std::int64_t> rows,
                       std::int64_t n_genes)
    : design_(design) {
  const std::size_t n_batches = design.batches.size();
  std::vector<std::vector<std::int64_t>> control_cells(n_batches);
  for (std::size_t at = 0; at < design.nt_cells.size(); ++at) {
    const std::int32_t batch = design.batch_of_cell[static_cast<std::size_t>(design.nt_cells[at])];
    if (batch >= 0) control_cells[static_cast<std::size_t>(batch)].push_back(static_cast<std::int64_t>(at));
  }
  std::vector<std::vector<std::int64_t>> sizes(n_batches);
  for (const std::int64_t row : rows)
    for (const auto& [batch, cells] : members(row))
      if (static_cast<std::int64_t>(cells.size()) >= kLeastCells)
        sizes[static_cast<std::size_t>(batch)].push_back(static_cast<std::int64_t>(cells.size()));
  pools_.resize(n_batches);
  tests_.resize(n_batches);
  parallel_for(static_cast<std::int64_t>(n_batches), [&](std::int64_t batch, int) {
    const auto at = static_cast<std::size_t>(batch);
    if (static_cast<std::int64_t>(control_cells[at].size()) < kLeastCells) return;
    pools_[at] = std::make_unique<Histograms>(controls, control_cells[at], n_genes);
    tests_[at] = std::make_unique<PoolTest>(*pools_[at]);
  });
  for (std::size_t batch = 0; batch < n_batches; ++batch)
    if (tests_[batch]) tests_[batch]->prepare(sizes[batch]);
}

std::map<std::int32_t, std::vector<std::int64_t>> BatchLabel::members(std::int64_t row) const {
  std::map<std::int32_t, std::vector<std::int64_t>> found;
  const std::vector<std::int64_t>& cells = design_.rows[static_cast<std::size_t>(row)].cells;
  for (std::size_t at = 0; at < cells.size(); ++at) {
    const std::int32_t batch = design_.batch_of_cell[static_cast<std::size_t>(cells[at])];
    if (batch >= 0) found[batch].push_back(static_cast<std::int64_t>(at));
  }
  return found;
}

double BatchLabel::label(std::int64_t row, const CountsStore& cells, GroupCounter& counter) const {
  double sum = 0;
  std::int64_t weight = 0;
  for (const auto& [batch, places] : members(row)) {
    const auto& test = tests_[static_cast<std::size_t>(batch)];
    const auto n = static_cast<std::int64_t>(places.size());
    if (!test || n < kLeastCells) continue;
    counter.count(cells, places);
    const LabelSum found = test->label(counter, n);
    if (found.n_finite == 0) continue;
    sum += static_cast<double>(n) * found.mean();
    weight += n;
  }
  return weight == 0 ? std::numeric_limits<double>::quiet_NaN() : weak_label(sum / static_cast<double>(weight));
}

}  // namespace scvet::trial
