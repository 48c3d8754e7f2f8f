#include <algorithm>
#include <map>

#include "scvet/numeric/mt19937.h"
#include "scvet/trial/label_audits.h"

namespace scvet::trial {
namespace {

// `count` of `cells`, each as likely; they move to the end of `cells` and are taken off.
void draw(std::vector<std::int64_t>& cells, std::int64_t count, numeric::Mt19937& stream,
          std::vector<std::int64_t>& out) {
  for (; count > 0; --count) {
    const std::uint32_t at = stream.bounded(static_cast<std::uint32_t>(cells.size() - 1));
    std::swap(cells[at], cells.back());
    out.push_back(cells.back());
    cells.pop_back();
  }
}

std::map<std::int32_t, std::vector<std::int64_t>> by_batch(const Design& design,
                                                           const std::vector<std::int64_t>& cells) {
  std::map<std::int32_t, std::vector<std::int64_t>> batches;
  for (const std::int64_t cell : cells) batches[design.batch_of_cell[static_cast<std::size_t>(cell)]].push_back(cell);
  return batches;
}

// As many control cells of each batch as the row has there, batches in order; what a batch lacks comes from the others.
std::vector<std::int64_t> draw_matched(const Design& design, const std::vector<std::int64_t>& row, std::int64_t count,
                                       std::map<std::int32_t, std::vector<std::int64_t>> controls,
                                       numeric::Mt19937& stream) {
  std::vector<std::int64_t> drawn;
  for (const auto& [batch, cells] : by_batch(design, row)) {
    std::vector<std::int64_t>& pool = controls[batch];
    const auto wanted = std::min({static_cast<std::int64_t>(cells.size()), static_cast<std::int64_t>(pool.size()),
                                  count - static_cast<std::int64_t>(drawn.size())});
    draw(pool, wanted, stream, drawn);
  }
  std::vector<std::int64_t> others;
  for (const auto& [batch, cells] : controls) others.insert(others.end(), cells.begin(), cells.end());
  draw(others, count - static_cast<std::int64_t>(drawn.size()), stream, drawn);
  std::sort(drawn.begin(), drawn.end());
  return drawn;
}

}  // namespace

std::vector<NullRow> draw_null_rows(const Design& design, std::span<const std::int64_t> eligible, std::int64_t count,
                                    std::uint32_t seed) {
  std::vector<NullRow> rows;
  if (eligible.empty() || design.nt_cells.size() < 2) return rows;
  numeric::Mt19937 stream(seed);
  const auto controls = by_batch(design, design.nt_cells);
  for (std::int64_t at = 0; at < count; ++at) {
    NullRow row;
    row.like = eligible[stream.bounded(static_cast<std::uint32_t>(eligible.size() - 1))];
    const std::vector<std::int64_t>& cells = design.rows[static_cast<std::size_t>(row.like)].cells;
    const auto n = static_cast<std::int64_t>(std::min(cells.size(), design.nt_cells.size() / 2));
    row.matched = draw_matched(design, cells, n, controls, stream);
    std::vector<std::int64_t> all = design.nt_cells;
    draw(all, n, stream, row.ungrouped);
    std::sort(row.ungrouped.begin(), row.ungrouped.end());
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace scvet::trial
