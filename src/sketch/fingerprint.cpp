#include "scvet/sketch/fingerprint.h"


#include <algorithm>
#include <bit>
#include <numeric>

#include "hash64.h"
#include "scvet/base/error.h"
#include "scvet/base/random.h"

namespace scvet::sketch {

std::uint64_t gene_key(std::string_view canonical_name) { return xxh3(canonical_name.data(), canonical_name.size()); }

std::vector<std::uint64_t> gene_keys(const GenePanel& panel) {
  std::vector<std::uint64_t> keys(panel.size());
  for (std::uint32_t token = 0; token < panel.size(); ++token) keys[token] = gene_key(panel.gene(token).name());
  return keys;
}

CellHashes hash_ranked(std::span<const std::uint64_t> keys, std::span<const std::uint32_t> tokens,
                       std::span<const double> values, bool are_counts) {
  const std::size_t n = tokens.size();
  std::vector<std::uint64_t> order(n);  // (token, place), sorted by token
  for (std::size_t place = 0; place < n; ++place) order[place] = std::uint64_t{tokens[place]} << 32 | place;
  std::sort(order.begin(), order.end());
  Fold set(kTagSet, n), ranks(kTagOrder, n), counts(kTagCounts, 2 * n);
  for (const std::uint32_t token : tokens) ranks.add(keys[token]);
  for (const std::uint64_t entry : order) {
    const std::uint64_t key = keys[entry >> 32];
    set.add(key);
    if (values.empty()) continue;
    const double value = values[entry & 0xFFFFFFFFu];
    counts.add(key);
    counts.add(are_counts ? static_cast<std::uint64_t>(value) : std::bit_cast<std::uint64_t>(value));
  }
  return {set.value(), values.empty() ? 0 : counts.value(), ranks.value()};
}

namespace {

// Several genes may have met in one universe token: one entry each, counts summed, ranked again.
void merge_repeats(CellSet& cell) {
  const std::size_t n = cell.tokens.size();
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return cell.tokens[a] < cell.tokens[b]; });
  struct Merged {
    std::uint16_t token;
    std::uint32_t count, place;
  };
  std::vector<Merged> merged;
  for (const std::uint32_t at : order) {
    const std::uint32_t count = cell.counts.empty() ? 0 : cell.counts[at];
    if (!merged.empty() && merged.back().token == cell.tokens[at])
      merged.back().count += count;
    else
      merged.push_back({cell.tokens[at], count, at});
  }
  if (merged.size() == n) return;
  if (cell.counts.empty())
    std::sort(merged.begin(), merged.end(), [](const Merged& a, const Merged& b) { return a.place < b.place; });
  else
    std::stable_sort(merged.begin(), merged.end(), [](const Merged& a, const Merged& b) { return a.count > b.count; });
  for (std::size_t place = 0; place < merged.size(); ++place) {
    cell.tokens[place] = merged[place].token;
    if (!cell.counts.empty()) cell.counts[place] = merged[place].count;
  }
  cell.tokens.resize(merged.size());
  if (!cell.counts.empty()) cell.counts.resize(merged.size());
}

template <typename Count>
void restrict_to(std::span<const std::uint32_t> tokens, std::span<const Count> counts, const TokenMap& map,
                 CellSet& cell) {
  cell.tokens.clear();
  cell.counts.clear();
  for (std::size_t place = 0; place < tokens.size(); ++place) {
    if (tokens[place] >= map.to_universe.size())
      throw InternalError("a token outside the panel that its map was made for");
    const std::int32_t token = map.to_universe[tokens[place]];
    if (token < 0) continue;
    cell.tokens.push_back(static_cast<std::uint16_t>(token));
    if (!counts.empty()) cell.counts.push_back(static_cast<std::uint32_t>(counts[place]));
  }
  if (map.merges) merge_repeats(cell);
}

}  // namespace

void restrict_cell(std::span<const std::uint32_t> tokens, std::span<const std::uint32_t> counts, const TokenMap& map,
                   CellSet& cell) {
  restrict_to(tokens, counts, map, cell);
}

void restrict_cell(const RankedCells& ranked, std::int64_t row, bool with_counts, const TokenMap& map, CellSet& cell) {
  restrict_to(ranked.cell_tokens(row), with_counts ? ranked.cell_values(row) : std::span<const double>{}, map, cell);
}

}  // namespace scvet::sketch
