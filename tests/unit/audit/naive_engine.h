// The exact engine in its plainest form, to test the audit against: every pair by bit sets.
#pragma once

#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <vector>

#include "scvet/base/parallel.h"
#include "scvet/sketch/search.h"

namespace scvet::audit::testing {

using Bits = std::vector<std::uint64_t>;

inline Bits bits_of(const sketch::SetSource& source, std::int64_t row) {
  sketch::CellSet cell;
  source.read(row, cell);
  Bits bits(source.n_tokens() / 64 + 1, 0);
  for (const std::uint16_t token : cell.tokens) bits[token / 64u] |= std::uint64_t{1} << (token % 64u);
  return bits;
}

inline std::uint32_t shared_bits(const Bits& a, const Bits& b) {
  const std::uint64_t *left = a.data(), *right = b.data();
  int both = 0;
  for (std::size_t word = 0; word < a.size(); ++word) both += std::popcount(left[word] & right[word]);
  return static_cast<std::uint32_t>(both);
}

inline sketch::SearchResult naive_search(const sketch::CellSets& queries, const sketch::SetSource& reference,
                                         const sketch::SearchOptions& options) {
  std::map<Bits, std::vector<std::int64_t>> rows_of;
  for (std::int64_t row = 0; row < reference.n_cells(); ++row) rows_of[bits_of(reference, row)].push_back(row);
  rows_of.erase(Bits(reference.n_tokens() / 64 + 1, 0));
  struct Entry {
    const Bits* bits;
    const std::vector<std::int64_t>* rows;
    std::uint32_t size;
  };
  std::vector<Entry> entries;
  for (const auto& [bits, rows] : rows_of) entries.push_back({&bits, &rows, shared_bits(bits, bits)});

  sketch::SearchResult result;
  result.n_reference = reference.n_cells();
  result.n_distinct = static_cast<std::int64_t>(entries.size());
  const auto n = static_cast<std::size_t>(queries.n_cells());
  result.nearest.resize(n);
  result.containment.resize(n);
  parallel_for(queries.n_cells(), [&](std::int64_t query, int) {
    const auto at = static_cast<std::size_t>(query);
    const Bits own = bits_of(queries, query);
    const std::uint32_t size = shared_bits(own, own);
    std::vector<sketch::Neighbour>& nearest = result.nearest[at];
    for (const Entry& entry : entries) {
      const std::vector<std::int64_t>& rows = *entry.rows;
      const bool own_row = options.queries_are_reference && std::find(rows.begin(), rows.end(), query) != rows.end();
      const std::uint32_t both = shared_bits(own, *entry.bits);
      if (rows.size() == (own_row ? 1u : 0u) || both == 0) continue;
      const std::int64_t lowest = own_row && rows[0] == query ? rows[1] : rows[0];
      nearest.push_back({lowest, both, size + entry.size - both, static_cast<std::uint32_t>(rows.size() - own_row)});
      auto& most = result.containment[at];
      if (both > most.intersection || (both == most.intersection && lowest < most.row)) most = {lowest, both};
    }
    const auto top = std::min(nearest.size(), static_cast<std::size_t>(options.top));
    std::partial_sort(nearest.begin(), nearest.begin() + static_cast<std::ptrdiff_t>(top), nearest.end(),
                      [](const sketch::Neighbour& a, const sketch::Neighbour& b) { return sketch::before(a, b); });
    nearest.resize(top);
  });
  return result;
}

class NaiveReference : public sketch::PreparedReference {
 public:
  explicit NaiveReference(const sketch::SetSource& reference) : reference_(reference) {}
  sketch::SearchResult search(const sketch::CellSets& queries, const sketch::SearchOptions& options) override {
    return naive_search(queries, reference_, options);
  }

 private:
  const sketch::SetSource& reference_;
};

inline std::unique_ptr<sketch::PreparedReference> prepare_naive(const sketch::SetSource& reference, std::uint64_t) {
  return std::make_unique<NaiveReference>(reference);
}

inline const sketch::EngineRecord naive_engine = {
    .name = "naive",
    .summary = "every pair by bit sets",
    .exact_jaccard = true,
    .counts_genes = true,
    .containment = true,
    .all_compared = true,
    .prepare = prepare_naive,
};

}  // namespace scvet::audit::testing
