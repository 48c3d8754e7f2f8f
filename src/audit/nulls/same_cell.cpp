// No reference cell is the same cell: spacings between the nearest entries of a cell's pool.
#include <algorithm>
#include <cstddef>

#include "gap_test.h"
#include "scvet/audit/null.h"
#include "scvet/base/parallel.h"

namespace scvet::audit {
namespace {

constexpr std::int64_t kTile = 256;

void apply(const NullContext& context, std::vector<CellOutcome>& cells, LiftFit& fit) {
  if (!context.others) return;  // another engine, or no counts: p stays NaN
  const int k = neighbours_used(context.options), max_copies = context.options.max_copies;
  const auto n = static_cast<std::int64_t>(cells.size());
  std::vector<std::uint32_t> size(cells.size());
  std::vector<double> level(cells.size(), kNaN), background(cells.size(), kNaN);
  parallel_for((n + kTile - 1) / kTile, [&](std::int64_t tile, int) {
    const auto end = static_cast<std::size_t>(std::min(n, (tile + 1) * kTile));
    for (auto at = static_cast<std::size_t>(tile * kTile); at < end; ++at) {
      CellOutcome& cell = cells[at];
      size[at] = cell.size;
      const auto& others = context.others->nearest[at];
      cell.pool = merge_pool(context.references.nearest[at], others, static_cast<std::size_t>(context.options.top));
      if (cell.status != CellStatus::kOk) continue;
      const GapResult gap = gap_test(
          cell.pool, pool_entries(context.references.n_distinct, context.others->n_distinct, others), k, max_copies);
      cell.p_d = gap.p_d;
      cell.d = gap.d;
      cell.p_same = gap.p;
      cell.reference_in_cluster = gap.reference;
      level[at] = gap.level;
      background[at] = gap.background;
    }
  });
  fit = fit_lift(size, background);
  for (std::size_t at = 0; at < cells.size(); ++at) {
    if (cells[at].d == 0) continue;
    cells[at].lift = lift_of(fit, size[at], level[at]);
    cells[at].z_background = lift_of(fit, size[at], background[at]);
  }
}

}  // namespace

extern const NullRecord same_cell_null = {
    "same_cell",
    "null",
    "No reference cell is the same cell: the cell's nearest neighbours are as far apart as neighbours of its kind are.",
    "A flag shows that this cell and the matched reference cell hold nearly the same molecules, so that one was copied "
    "or both were made from one cell, also when the copy was thinned or processed differently.",
    "It cannot tell a copied cell from two libraries of one droplet or from very uniform rare cells, and no flag does "
    "not show that the cell was absent.",
    "spacings of the upper tail (Renyi 1953, doi:10.1007/BF02127580); docs/audit.md",
    apply};

}  // namespace scvet::audit
