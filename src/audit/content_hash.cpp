#include "content_hash.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

#include "scvet/base/random.h"

namespace scvet::audit {

ContentHasher::ContentHasher(std::uint32_t n_tokens) : bits_(n_tokens / 64 + 1, 0), count_(n_tokens, 0) {}

template <typename Visit>
void ContentHasher::ascending(std::span<const std::uint16_t> tokens, const Visit& visit) {
  std::size_t first = bits_.size(), last = 0;
  for (const std::uint16_t token : tokens) {
    const std::size_t word = token / 64u;
    bits_[word] |= std::uint64_t{1} << (token % 64u);
    first = std::min(first, word);
    last = std::max(last, word);
  }
  for (std::size_t word = first; word <= last && word < bits_.size(); ++word)
    for (std::uint64_t rest = std::exchange(bits_[word], 0); rest != 0; rest &= rest - 1)
      visit(static_cast<std::uint32_t>(word * 64 + static_cast<std::size_t>(std::countr_zero(rest))));
}

std::uint64_t ContentHasher::set(std::span<const std::uint16_t> tokens) {
  Fold fold(kTagSet, tokens.size());
  ascending(tokens, [&](std::uint32_t token) { fold.add(token); });
  return fold.value();
}

sketch::CellHashes ContentHasher::all(const sketch::CellSet& cell) {
  const std::size_t n = cell.tokens.size();
  const bool counted = !cell.counts.empty() || n == 0;
  for (std::size_t at = 0; at < cell.counts.size(); ++at) count_[cell.tokens[at]] = cell.counts[at];
  Fold set(kTagSet, n), counts(kTagCounts, 2 * n), order(kTagOrder, n);
  for (const std::uint16_t token : cell.tokens) order.add(token);
  ascending(cell.tokens, [&](std::uint32_t token) {
    set.add(token);
    if (!counted) return;
    counts.add(token);
    counts.add(count_[token]);
  });
  return {set.value(), counted ? counts.value() : 0, order.value()};
}

}  // namespace scvet::audit
