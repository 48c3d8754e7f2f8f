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

namespace {

// Calls visit(place) for each place of `tokens`, tokens ascending: a walk over a bitmap of the panel, several times
// faster than sorting a cell of a thousand genes.
template <typename Visit>
void visit_ascending(std::span<const std::uint32_t> tokens, std::size_t n_panel, Visit visit) {
  thread_local std::vector<std::uint64_t> present;
  thread_local std::vector<std::uint32_t> place_of;
  if (place_of.size() < n_panel) {
    present.assign((n_panel + 63) / 64, 0);
    place_of.resize(n_panel);
  }
  std::uint32_t highest = 0;
  for (std::uint32_t place = 0; place < tokens.size(); ++place) {
    const std::uint32_t token = tokens[place];
    present[token / 64] |= std::uint64_t{1} << (token % 64);
    place_of[token] = place;
    highest = std::max(highest, token);
  }
  if (tokens.empty()) return;
  for (std::size_t word = 0; word <= highest / 64; ++word) {
    for (std::uint64_t bits = present[word]; bits; bits &= bits - 1)
      visit(place_of[word * 64 + static_cast<std::size_t>(std::countr_zero(bits))]);
    present[word] = 0;
  }
}

}  // namespace

CellHashes hash_ranked(std::span<const std::uint64_t> keys, std::span<const std::uint32_t> tokens,
                       std::span<const double> values, bool are_counts) {
  const std::size_t n = tokens.size();
  Fold set(kTagSet, n), ranks(kTagOrder, n), counts(kTagCounts, 2 * n);
  std::size_t rank = 0;
  // Three folds side by side: each is a chain of multiplications that waits for the one before.
  visit_ascending(tokens, keys.size(), [&](std::uint32_t place) {
    const std::uint64_t key = keys[tokens[place]];
    ranks.add(keys[tokens[rank++]]);
    set.add(key);
    if (values.empty()) return;
    const double value = values[place];
    counts.add(key);
    counts.add(are_counts ? static_cast<std::uint64_t>(value) : std::bit_cast<std::uint64_t>(value));
  });
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
