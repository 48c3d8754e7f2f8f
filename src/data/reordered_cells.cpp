#include "scvet/data/reordered_cells.h"

#include <algorithm>
#include <unordered_map>

namespace scvet {

template <typename Body>
void ReorderedCells::each_row(std::vector<std::int64_t> rows, Body body) {
  std::sort(rows.begin(), rows.end());
  for (const std::int64_t row : rows) {
    if (row < loaded_.first_cell || row >= loaded_.first_cell + loaded_.n_cells) {
      const std::int64_t step = std::max<std::int64_t>(source_.chunk_cells(), 1), first = row / step * step;
      source_.read(first, std::min(step, source_.info().n_cells - first), loaded_);
    }
    body(row, loaded_, static_cast<std::size_t>(row - loaded_.first_cell));
  }
}

ReorderedCells::ReorderedCells(CellSource& source, std::vector<std::int64_t> rows, std::int64_t memory_bytes)
    : source_(source), rows_(std::move(rows)), info_(source.info()) {
  info_.n_cells = static_cast<std::int64_t>(rows_.size());
  info_.stored = 0;
  each_row(rows_, [&](std::int64_t, const CellChunk& chunk, std::size_t at) {
    info_.stored += chunk.indptr[at + 1] - chunk.indptr[at];
  });
  constexpr std::int64_t kEntryBytes = 12;
  const std::int64_t cell_bytes = 64 + kEntryBytes * info_.stored / std::max<std::int64_t>(info_.n_cells, 1);
  const bool ascending = std::is_sorted(rows_.begin(), rows_.end());
  block_ = ascending ? source.chunk_cells() : std::max<std::int64_t>(memory_bytes / cell_bytes, 1);
}

void ReorderedCells::read(std::int64_t first, std::int64_t count, CellChunk& chunk) {
  start_chunk(info_, first, count, chunk);
  const std::vector<std::int64_t> wanted(rows_.begin() + first, rows_.begin() + first + count);
  std::unordered_map<std::int64_t, Cell> cells;
  each_row(wanted, [&](std::int64_t row, const CellChunk& from, std::size_t at) {
    const std::int64_t start = from.indptr[at], end = from.indptr[at + 1];
    cells[row] = {{from.genes.begin() + start, from.genes.begin() + end},
                  {from.values.begin() + start, from.values.begin() + end}};
  });
  for (const std::int64_t row : wanted) {
    const Cell& cell = cells.at(row);
    chunk.genes.insert(chunk.genes.end(), cell.genes.begin(), cell.genes.end());
    chunk.values.insert(chunk.values.end(), cell.values.begin(), cell.values.end());
    chunk.indptr.push_back(static_cast<std::int64_t>(chunk.genes.size()));
  }
}

}  // namespace scvet
