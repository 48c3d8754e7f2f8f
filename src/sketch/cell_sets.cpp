#include "scvet/sketch/cell_sets.h"

#include <algorithm>
#include <numeric>

#include "scvet/base/error.h"
#include "scvet/base/random.h"

namespace scvet::sketch {

void SetSource::read_tokens(std::int64_t row, std::vector<std::uint16_t>& tokens) const {
  thread_local CellSet cell;
  read(row, cell);
  tokens.swap(cell.tokens);
}

void CellSets::add(const CellSet& cell) {
  if (!cell.counts.empty() && cell.counts.size() != cell.tokens.size())
    throw InternalError("a cell with counts for some of its genes only");
  tokens_.insert(tokens_.end(), cell.tokens.begin(), cell.tokens.end());
  if (cell.counts.empty())
    counts_.resize(tokens_.size(), 0);
  else
    counts_.insert(counts_.end(), cell.counts.begin(), cell.counts.end());
  with_counts_.push_back(!cell.counts.empty() || cell.tokens.empty());
  offsets_.push_back(static_cast<std::int64_t>(tokens_.size()));
}

void CellSets::reserve(std::int64_t cells, std::int64_t tokens) {
  offsets_.reserve(static_cast<std::size_t>(cells) + 1);
  with_counts_.reserve(static_cast<std::size_t>(cells));
  tokens_.reserve(static_cast<std::size_t>(tokens));
  counts_.reserve(static_cast<std::size_t>(tokens));
}

std::span<const std::uint16_t> CellSets::tokens(std::int64_t row) const {
  const auto first = static_cast<std::size_t>(offsets_[static_cast<std::size_t>(row)]);
  const auto last = static_cast<std::size_t>(offsets_[static_cast<std::size_t>(row) + 1]);
  return {tokens_.data() + first, last - first};
}

std::span<const std::uint32_t> CellSets::counts(std::int64_t row) const {
  if (!has_counts(row)) return {};
  const auto first = static_cast<std::size_t>(offsets_[static_cast<std::size_t>(row)]);
  const auto last = static_cast<std::size_t>(offsets_[static_cast<std::size_t>(row) + 1]);
  return {counts_.data() + first, last - first};
}

void CellSets::read(std::int64_t row, CellSet& cell) const {
  const auto genes = tokens(row);
  const auto values = counts(row);
  cell.tokens.assign(genes.begin(), genes.end());
  cell.counts.assign(values.begin(), values.end());
}

void CellSets::read_tokens(std::int64_t row, std::vector<std::uint16_t>& tokens_out) const {
  const auto genes = tokens(row);
  tokens_out.assign(genes.begin(), genes.end());
}

CellHashes hash_cell(const CellSet& cell) {
  const std::size_t n = cell.tokens.size();
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return cell.tokens[a] < cell.tokens[b]; });
  Fold set(kTagSet, n), ranks(kTagOrder, n), counts(kTagCounts, 2 * n);
  for (const std::uint16_t token : cell.tokens) ranks.add(token);
  for (const std::uint32_t at : order) {
    set.add(cell.tokens[at]);
    if (cell.counts.empty()) continue;
    counts.add(cell.tokens[at]);
    counts.add(cell.counts[at]);
  }
  return {set.value(), cell.counts.empty() && n > 0 ? 0 : counts.value(), ranks.value()};
}

}  // namespace scvet::sketch
